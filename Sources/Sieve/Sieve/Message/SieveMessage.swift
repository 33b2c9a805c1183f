/// A header field as it is in the message.
public struct SieveHeader: Sendable {
    public var name: String
    /// What follows the colon, still folded and encoded.
    public var value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

/// A part of a message, or the message itself.
public struct SievePart: Sendable {
    /// In the order of the message.
    public var headers: [SieveHeader]
    /// The parts of a multipart, or the message within a `message/rfc822`.
    public var parts: [SievePart]
    /// The content without its transfer encoding, in its own charset. Called only if a test needs it.
    public var content: @Sendable () -> [UInt8]

    public init(
        headers: [SieveHeader], parts: [SievePart] = [], content: @escaping @Sendable () -> [UInt8] = { [] }
    ) {
        self.headers = headers
        self.parts = parts
        self.content = content
    }
}

/// The message that a script decides about, from its host. Each member is used only if a test needs it.
public protocol SieveMessage {
    /// Bytes of the whole message.
    var size: Int { get }
    /// The header of the message itself, in its order.
    var headers: [SieveHeader] { get }
    /// The message with all its parts.
    var structure: SievePart { get }
    /// All that follows the header, still encoded.
    var rawBody: [UInt8] { get }
    /// Text of a charset that is not UTF-8, ASCII or Latin-1, in UTF-8; nil if the charset is unknown.
    func decode(_ text: [UInt8], charset: String) -> [UInt8]?
}

extension SieveMessage {
    public func decode(_ text: [UInt8], charset: String) -> [UInt8]? { nil }
}

/// Whom the server was told the message is from and for.
public struct SieveEnvelope: Sendable {
    /// Empty for messages that report the fate of others; nil if unknown.
    public var from: String?
    /// Nil if unknown.
    public var to: String?

    public init(from: String? = nil, to: String? = nil) {
        self.from = from
        self.to = to
    }
}

/// The surroundings of a script. Nothing here is changed by it.
public protocol SieveHost {
    var envelope: SieveEnvelope { get }
    /// Seconds since 1970.
    var now: Int { get }
    /// Minutes that local time is ahead of UTC at a time, which is in seconds since 1970.
    func offset(at time: Int) -> Int
    /// Whether there is a mailbox with this name, which may have levels as the service writes them.
    func mailboxExists(_ name: String) -> Bool
    /// Whether this was seen before. The host remembers it once it has carried out the verdict, which repeats it.
    func isDuplicate(_ mark: SieveDuplicateMark) -> Bool
    /// An item of RFC 5183, such as `name` or `version`; nil if unknown.
    func environment(_ item: String) -> String?
    /// Whether the message matches a search that the user has saved, by its id or name.
    func search(_ name: String) -> SieveSearch
}

extension SieveHost {
    public func search(_ name: String) -> SieveSearch { .unusable("There are no saved searches here.") }
}

/// The answer to a `savedsearch` test.
public enum SieveSearch: Sendable, Hashable {
    case matches(Bool)
    /// It cannot be said, and the script ends: a sentence for its author.
    case unusable(String)
}

/// What `duplicate` asks its host (RFC 7352).
public struct SieveDuplicateMark: Sendable, Hashable {
    /// Tells apart the questions of a script.
    public var handle: String
    /// What is to be seen once.
    public var id: String
    /// How long it is remembered; nil for as long as the host likes.
    public var seconds: Int?
    /// The time counts from the last sight of it, not from the first.
    public var isExtended: Bool
}
