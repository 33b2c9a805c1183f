import MailKernelAPI
import MessageFormat

/// What `Email/get` and `Email/parse` were asked to say of an email (RFC 8621, sections 4.2 and 4.9).
struct EmailProperties {
    static let metadata: Set<String> = [
        "id", "blobId", "threadId", "mailboxIds", "keywords", "size", "receivedAt",
    ]
    static let headers: Set<String> = [
        "messageId", "inReplyTo", "references", "sender", "from", "to", "cc", "bcc", "replyTo", "subject",
        "sentAt",
    ]
    static let body: Set<String> = ["bodyStructure", "bodyValues", "textBody", "htmlBody", "attachments"]
    private static let byDefault = [
        "id", "blobId", "threadId", "mailboxIds", "keywords", "size", "receivedAt", "messageId", "inReplyTo",
        "references", "sender", "from", "to", "cc", "bcc", "replyTo", "subject", "sentAt", "hasAttachment",
        "preview", "bodyValues", "textBody", "htmlBody", "attachments",
    ]
    private static let byDefaultOfParse = byDefault.filter { !metadata.contains($0) }
    private static let partProperties: Set<String> = [
        "partId", "blobId", "size", "headers", "name", "type", "charset", "disposition", "cid", "language",
        "location", "subParts",
    ]
    private static let partDefault = [
        "partId", "blobId", "size", "name", "type", "charset", "disposition", "cid", "language", "location",
    ]

    let names: Set<String>
    let headerProperties: [HeaderProperty]
    let partNames: Set<String>
    let partHeaderProperties: [HeaderProperty]
    let fetchesText: Bool
    let fetchesHTML: Bool
    let fetchesAll: Bool
    let maxBodyValueBytes: Int

    init(_ arguments: inout Arguments, isParse: Bool = false) throws(MethodError) {
        let asked = try arguments.names("properties") ?? (isParse ? Self.byDefaultOfParse : Self.byDefault)
        (names, headerProperties) = try Self.read(asked, known: Self.known, argument: "properties")
        let askedOfParts = try arguments.names("bodyProperties") ?? Self.partDefault
        (partNames, partHeaderProperties) = try Self.read(
            askedOfParts, known: Self.partProperties, argument: "bodyProperties")
        fetchesText = try arguments.bool("fetchTextBodyValues")
        fetchesHTML = try arguments.bool("fetchHTMLBodyValues")
        fetchesAll = try arguments.bool("fetchAllBodyValues")
        maxBodyValueBytes = try arguments.unsignedInt("maxBodyValueBytes") ?? 0
    }

    /// All that can be said of these properties.
    init(whole names: [String]) throws(MethodError) {
        var arguments = Arguments([
            "properties": .array(names.map { .string($0) }),
            "bodyProperties": .array(Self.partProperties.map { .string($0) }), "fetchAllBodyValues": true,
        ])
        try self.init(&arguments)
    }

    static func isKnown(_ name: String) -> Bool { known.contains(name) || HeaderProperty(name) != nil }

    private static let known = metadata.union(headers).union(body).union([
        "addressWarnings", "hasAttachment", "preview", "headers",
    ])

    private static func read(
        _ asked: [String], known: Set<String>, argument: String
    ) throws(MethodError) -> (Set<String>, [HeaderProperty]) {
        var names: Set<String> = []
        var headers: [HeaderProperty] = []
        for name in asked {
            if known.contains(name) {
                names.insert(name)
            } else if let header = HeaderProperty(name) {
                headers.append(header)
            } else {
                throw .invalidArguments(argument, "contains the unknown property “\(name.prefix(100))”")
            }
        }
        return (names, headers)
    }

    /// Whether more than what lists show is needed. The offset of a date is in its header field alone.
    var needsBody: Bool {
        names.contains("sentAt") || !headerProperties.isEmpty || names.contains("headers")
            || !names.isDisjoint(with: Self.body)
    }
}
