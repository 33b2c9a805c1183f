public import MailKernelAPI

/// A message that is to be made.
public struct MessageDraft: Sendable {
    /// In the order in which they are written. `Content-…` fields belong to the parts.
    public var headers: [DraftHeader]
    public var body: DraftPart

    /// A message of exactly this structure.
    public init(headers: [DraftHeader], body: DraftPart) {
        self.headers = headers
        self.body = body
    }

    /// A message with a text, its HTML form, or both, and attachments.
    ///
    /// Attachments whose disposition is `inline` and that have a Content-ID are images of the HTML; they are
    /// kept together with it.
    public init(
        headers: [DraftHeader], text: String? = nil, html: String? = nil, attachments: [DraftPart] = []
    ) {
        self.headers = headers
        let isRelated = { (part: DraftPart) in
            html != nil && part.cid != nil && part.disposition?.lowercased() == "inline"
        }
        var alternatives: [DraftPart] = []
        if let text { alternatives.append(DraftPart(type: "text/plain", .text(text))) }
        if let html {
            let page = DraftPart(type: "text/html", .text(html))
            let related = attachments.filter(isRelated)
            alternatives.append(
                related.isEmpty ? page : DraftPart(type: "multipart/related", .parts([page] + related)))
        }
        let readable =
            switch alternatives.count {
            case 0: DraftPart(type: "text/plain", .text(""))
            case 1: alternatives[0]
            default: DraftPart(type: "multipart/alternative", .parts(alternatives))
            }
        let attached = attachments.filter { !isRelated($0) }
        if attached.isEmpty {
            body = readable
        } else {
            let first = alternatives.isEmpty ? [] : [readable]
            body = DraftPart(type: "multipart/mixed", .parts(first + attached))
        }
    }

    /// Adds another form of what can be read, which readers that understand it prefer.
    public mutating func addAlternative(_ part: DraftPart) {
        body.addAlternative(part)
    }
}

/// A header field, in a form in which JMAP can set it.
public struct DraftHeader: Sendable, Hashable {
    public var name: String
    public var value: HeaderValue

    public init(_ name: String, _ value: HeaderValue) {
        self.name = name
        self.value = value
    }
}

/// One part of a message that is to be made.
public struct DraftPart: Sendable {
    public enum Content: Sendable {
        /// Text of a `text/*` part; it is sent as UTF-8.
        case text(String)
        /// The content, byte for byte. It is read once or twice, piece by piece.
        case bytes(any ByteSource)
        /// The parts of a `multipart/*`.
        case parts([DraftPart])
    }

    public var type: String
    public var content: Content
    /// Of `bytes`, if they are text; nil says nothing about it.
    public var charset: String?
    /// The file name.
    public var name: String?
    public var disposition: String?
    /// Content-ID, without angle brackets.
    public var cid: String?
    public var language: [String]
    public var location: String?
    /// Further fields of the part.
    public var headers: [DraftHeader]
    /// Further parameters of its type.
    public var parameters: [(name: String, value: String)]

    public init(
        type: String, _ content: Content, charset: String? = nil, name: String? = nil,
        disposition: String? = nil, cid: String? = nil, language: [String] = [], location: String? = nil,
        headers: [DraftHeader] = [], parameters: [(name: String, value: String)] = []
    ) {
        self.type = type
        self.content = content
        self.charset = charset
        self.name = name
        self.disposition = disposition
        self.cid = cid
        self.language = language
        self.location = location
        self.headers = headers
        self.parameters = parameters
    }

    fileprivate mutating func addAlternative(_ part: DraftPart) {
        guard case .parts(var parts) = content else {
            self = DraftPart(type: "multipart/alternative", .parts([self, part]))
            return
        }
        if type == "multipart/alternative" {
            parts.append(part)
        } else if type == "multipart/mixed", !parts.isEmpty {
            parts[0].addAlternative(part)
        } else {
            self = DraftPart(type: "multipart/alternative", .parts([self, part]))
            return
        }
        content = .parts(parts)
    }
}

/// A draft that cannot become a message. Nothing usable has been written then.
public enum BuildError: Error, Sendable, Equatable {
    /// A value holds a line end, a NUL or another control character, and could forge header fields.
    case forbiddenCharacter(field: String)
    case invalidFieldName(String)
    /// The field is derived from the part and cannot be set.
    case fieldIsMade(String)
    /// Allowed once only.
    case duplicateField(String)
    case invalidType(String)
    /// Parts in a part that is not a multipart, or text in a multipart.
    case wrongContent(type: String)
    /// A line over 998 bytes that cannot be broken.
    case lineTooLong(field: String)
    case tooDeep
}

extension BuildError: CustomStringConvertible {
    /// Names fields and types only, so it is safe for logs.
    public var description: String {
        switch self {
        case .forbiddenCharacter(let field):
            "The field “\(field)” contains a line break or a control character. Remove it."
        case .invalidFieldName: "A header field's name contains an invalid character."
        case .fieldIsMade(let field): "The field “\(field)” is created automatically and cannot be set."
        case .duplicateField(let field): "The field “\(field)” is set more than once."
        case .invalidType: "A part's type does not have the form “text/plain”."
        case .wrongContent(let type): "The content of a part does not match its type “\(type)”."
        case .lineTooLong(let field): "A line of the field “\(field)” is too long for mail. Shorten it."
        case .tooDeep: "Parts are nested too deeply."
        }
    }
}

/// What became of a draft.
public struct BuiltMessage: Sendable, Hashable {
    public var size: Int
    /// The Message-ID, without angle brackets.
    public var messageID: String?
    /// An address requires UTF-8 in headers, so the message can be sent only to servers that support it.
    public var needsSMTPUTF8: Bool
    /// It holds bytes that only servers with 8BITMIME take: an attached message that has them.
    public var needs8BitMIME: Bool
}
