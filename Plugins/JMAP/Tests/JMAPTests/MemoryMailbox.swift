import FoundationEssentials
import MailKernelAPI

/// The mail of the account of a `MemoryService`, and the methods that read and change it.
struct MemoryMailbox: Sendable {
    struct Message: Sendable {
        let id: String
        let number: Int
        let bytes: Data
        var mailboxes: Set<String>
        var keywords: Set<String>
        let receivedAt: Date
        var changed: Int
        let created: Int
    }

    /// Whether the event source works; Cyrus answers 204.
    var hasEvents = true
    /// As Cyrus has them: relative URLs, submission only among the primary accounts, the state “0”.
    var isCyrus = false
    var maxDelayedSend = 0
    var objectsInGet = 500
    var hasScripts = false
    /// What `Quota/get` lists; nil without that capability.
    var quotas: [JSONValue]?
    /// Bytes that are there already are not imported again.
    var refusesKnownBytes = false
    /// `Email/get` leaves these out, without a word.
    var passedOver: Set<String> = []
    /// The structure of these is nested more deeply than JSON may be.
    var nested: Set<String> = []
    /// `Email/query` begins at the beginning, whatever is asked for.
    var ignoresAnchors = false
    /// The primary account of mail.
    var accountID = "u1"
    /// Roles that no mailbox has.
    var missingRoles: Set<String> = []
    /// Changes before this state cannot be told.
    var oldestState = 0
    /// Services need not report what came and went.
    var forgetsTheBrief = true
    private(set) var messages: [String: Message] = [:]
    private(set) var mailboxes: [String: JSONValue] = [:]
    private var gone: [(id: String, at: Int, created: Int)] = []
    var blobs: [String: Data] = [:]
    var submissions: [JSONValue] = []
    /// By their ids.
    var held: [String: JSONValue] = [:]
    /// Nil where the service sends none.
    var vacation: JSONValue?
    var scripts: [String: JSONValue] = [:]
    private var counter = 0
    private(set) var emailState = 0
    private var mailboxState = 0

    init() {
        for role in ["inbox", "sent", "drafts", "trash", "junk", "archive"] {
            mailboxes["m-\(role)"] = [
                "id": .string("m-\(role)"), "name": .string(role.capitalized), "role": .string(role),
                "parentId": nil, "myRights": Self.rights(mayDelete: false),
            ]
        }
    }

    private static func rights(mayDelete: Bool) -> JSONValue {
        [
            "mayReadItems": true, "mayAddItems": true, "mayRemoveItems": true, "maySetSeen": true,
            "maySetKeywords": true, "mayCreateChild": true, "mayRename": .bool(mayDelete),
            "mayDelete": .bool(mayDelete), "maySubmit": true,
        ]
    }

    var session: JSONValue {
        let base = isCyrus ? "" : "https://\(MemoryService.host)"
        let mail = "urn:ietf:params:jmap:mail"
        let sending = "urn:ietf:params:jmap:submission"
        let sieve = "urn:ietf:params:jmap:sieve"
        let details: JSONValue = ["maxDelayedSend": .number(Double(maxDelayedSend))]
        var own: [String: JSONValue] = [mail: [:]]
        if !isCyrus { own[sending] = details }
        var capabilities: [String: JSONValue] = [
            "urn:ietf:params:jmap:core": ["maxObjectsInGet": .number(Double(objectsInGet))], mail: [:],
            sending: isCyrus ? details : [:],
        ]
        if quotas != nil {
            own["urn:ietf:params:jmap:quota"] = [:]
            capabilities["urn:ietf:params:jmap:quota"] = [:]
        }
        if vacation != nil {
            own["urn:ietf:params:jmap:vacationresponse"] = [:]
            capabilities["urn:ietf:params:jmap:vacationresponse"] = [:]
        }
        if hasScripts {
            own[sieve] = ["sieveExtensions": ["fileinto", "imap4flags"]]
            capabilities[sieve] = [:]
        }
        return [
            "username": "ada@example.test", "state": "0", "apiUrl": .string("\(base)/api"),
            "uploadUrl": .string("\(base)/upload/{accountId}/"),
            "downloadUrl": .string("\(base)/download/{accountId}/{blobId}/{name}?accept={type}"),
            "eventSourceUrl": .string("\(base)/events?types={types}&closeafter={closeafter}&ping={ping}"),
            "capabilities": .object(capabilities),
            "accounts": .object([accountID: ["isPersonal": true, "accountCapabilities": .object(own)]]),
            "primaryAccounts": [mail: .string(accountID), sending: .string(accountID)],
        ]
    }

    // MARK: Bytes

    mutating func next(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    mutating func keep(_ bytes: Data) -> String {
        let blob = next("b")
        blobs[blob] = bytes
        return blob
    }

    // MARK: Every change goes through these

    @discardableResult
    mutating func add(
        _ bytes: Data, to mailboxes: Set<String>, keywords: Set<String> = [], receivedAt: Date
    ) -> String {
        let id = next("e")
        emailState += 1
        messages[id] = Message(
            id: id, number: counter, bytes: bytes, mailboxes: mailboxes, keywords: keywords,
            receivedAt: receivedAt, changed: emailState, created: emailState)
        blobs["blob-\(id)"] = bytes
        blobs["part-\(id)"] = Self.split(bytes).content
        return id
    }

    mutating func remove(_ id: String) -> Bool {
        guard let message = messages.removeValue(forKey: id) else { return false }
        emailState += 1
        gone.append((id, emailState, message.created))
        (blobs["blob-\(id)"], blobs["part-\(id)"]) = (nil, nil)
        return true
    }

    mutating func change(_ id: String, _ body: (inout Message) -> Void) {
        guard var message = messages[id] else { return }
        body(&message)
        emailState += 1
        message.changed = emailState
        messages[id] = message
    }

    func goneSince(_ state: Int) -> [String] {
        gone.filter { $0.at > state && (!forgetsTheBrief || $0.created <= state) }.map(\.id)
    }

    mutating func setMailbox(_ id: String, _ value: JSONValue?) {
        mailboxState += 1
        mailboxes[id] = value
    }

    var mailboxStateText: String { "\(mailboxState)" }

    static func newMailbox(_ id: String, name: String, parent: JSONValue) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "role": nil, "parentId": parent,
            "myRights": rights(mayDelete: true),
        ]
    }

    // MARK: Messages

    static func split(_ bytes: Data) -> (header: Data, content: Data) {
        guard let range = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return (bytes, Data()) }
        return (Data(bytes[..<range.lowerBound]), Data(bytes[range.upperBound...]))
    }

    static func fields(_ bytes: Data) -> [(String, String)] {
        String(decoding: split(bytes).header, as: UTF8.self).split(separator: "\r\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    static func field(_ name: String, _ bytes: Data) -> String {
        fields(bytes).first { $0.0.lowercased() == name.lowercased() }?.1 ?? ""
    }

    func json(_ message: Message, _ properties: Set<String>, textLimit: Int) -> JSONValue {
        var all: [String: JSONValue] = ["id": .string(message.id)]
        func put(_ name: String, _ value: @autoclosure () -> JSONValue) {
            if properties.contains(name) { all[name] = value() }
        }
        put("blobId", .string("blob-\(message.id)"))
        put("mailboxIds", Self.set(message.mailboxes))
        put("keywords", Self.set(message.keywords))
        put("receivedAt", .string(message.receivedAt.formatted(.iso8601)))
        put("size", .number(Double(message.bytes.count)))
        let headers = Self.fields(message.bytes).map { field -> JSONValue in
            ["name": .string(field.0), "value": .string(field.1)]
        }
        put("headers", .array(headers))
        let messageID = Self.field("Message-ID", message.bytes).filter { !"<> ".contains($0) }
        put("messageId", [.string(messageID)])
        let content = Self.split(message.bytes).content
        var structure: JSONValue = [
            "partId": "1", "blobId": .string("part-\(message.id)"), "type": "text/plain",
            "charset": "utf-8", "size": .number(Double(content.count)),
        ]
        if nested.contains(message.id) {
            for _ in 0..<150 { structure = ["type": "multipart/mixed", "subParts": [structure]] }
        }
        put("bodyStructure", structure)
        let text = String(decoding: content.prefix(textLimit), as: UTF8.self)
        put("bodyValues", ["1": ["value": .string(text), "isTruncated": .bool(content.count > textLimit)]])
        return .object(all)
    }

    static func set(_ values: Set<String>) -> JSONValue {
        .object(Dictionary(values.map { ($0, JSONValue.bool(true)) }) { first, _ in first })
    }
}
