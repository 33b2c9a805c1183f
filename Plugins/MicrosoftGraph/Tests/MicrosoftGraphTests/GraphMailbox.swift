import FoundationEssentials
import MailKernelAPI

/// The mailbox of a `GraphServer`: folders, messages, and what changed when.
struct GraphMailbox: Sendable {
    struct Message: Sendable {
        let id: String
        let number: Int
        var bytes: Data
        var folder: String
        var received: Date
        var isRead = false
        var isDraft = false
        var isFlagged = false
        var importance = "normal"
        var categories: [String] = []
        var verb: Int?
        var bcc: [String] = []
        var attachments: [JSONValue] = []
        /// The versions of the mailbox when it came into its folder, and when it was changed.
        var arrived: Int
        var changed: Int
        /// Whether nothing but its read mark was changed since it came.
        var isOnlyRead = false
    }

    struct Folder: Sendable {
        let id: String
        var name: String
        var parent: String
        var changed: Int
    }

    static let address = "ada@contoso.com"
    static let wellKnown = [
        "inbox", "sentitems", "drafts", "deleteditems", "junkemail", "archive", "outbox", "msgfolderroot",
    ]

    var login = GraphLogin()
    var messages: [String: Message] = [:]
    var folders: [String: Folder] = [:]
    private(set) var version = 1
    private var counter = 0
    /// Messages and folders that left.
    private(set) var gone: [(id: String, folder: String, at: Int, arrived: Int)] = []
    private(set) var goneFolders: [(id: String, at: Int)] = []
    /// Changes before this version cannot be told.
    var oldest = 0
    /// A changed read mark is told alone.
    var tellsOnlyReads = true
    /// Whether a sent message stays in Outbox.
    var holdsSent = false
    var uploads: [String: Upload] = [:]
    /// At most so many on a page, whatever is asked for.
    var mostOnPage = 1_000
    /// Sizes that are told instead of the real ones.
    var sizes: [String: Int] = [:]
    var sentCount = 0

    struct Upload: Sendable {
        let message: String
        let item: JSONValue
        var bytes = Data()
    }

    init() {
        for name in Self.wellKnown where name != "msgfolderroot" {
            folders[Self.folderID(name)] = Folder(
                id: Self.folderID(name), name: name.capitalized, parent: Self.folderID("msgfolderroot"),
                changed: 1)
        }
    }

    static func folderID(_ name: String) -> String { "AAMk-\(name)=" }

    func folderID(_ text: String) -> String {
        Self.wellKnown.contains(text) ? Self.folderID(text) : text
    }

    mutating func next(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)="
    }

    // MARK: Every change goes through these

    @discardableResult
    mutating func add(
        _ bytes: Data, to folder: String, received: Date, _ body: (inout Message) -> Void = { _ in }
    ) -> String {
        let id = next("AAkALgAA_m")
        version += 1
        var message = Message(
            id: id, number: counter, bytes: bytes, folder: folder, received: received, arrived: version,
            changed: version)
        body(&message)
        messages[id] = message
        return id
    }

    mutating func change(_ id: String, onlyRead: Bool = false, _ body: (inout Message) -> Void) {
        guard var message = messages[id] else { return }
        body(&message)
        version += 1
        message.changed = version
        message.isOnlyRead = onlyRead
        messages[id] = message
    }

    mutating func move(_ id: String, to folder: String) {
        guard var message = messages[id], message.folder != folder else { return }
        version += 1
        gone.append((id, message.folder, version, message.arrived))
        (message.folder, message.arrived, message.changed) = (folder, version, version)
        message.isOnlyRead = false
        messages[id] = message
    }

    mutating func remove(_ id: String) {
        guard let message = messages.removeValue(forKey: id) else { return }
        version += 1
        gone.append((id, message.folder, version, message.arrived))
    }

    mutating func setFolder(_ folder: Folder) {
        version += 1
        folders[folder.id] = folder
        folders[folder.id]?.changed = version
    }

    mutating func removeFolder(_ id: String) {
        for message in messages.values where message.folder == id { remove(message.id) }
        for folder in folders.values where folder.parent == id { removeFolder(folder.id) }
        version += 1
        folders[id] = nil
        goneFolders.append((id, version))
    }

    /// All changes so far can no longer be told.
    mutating func expire() {
        version += 1
        oldest = version
    }

    // MARK: Messages

    func inFolder(_ folder: String) -> [Message] {
        messages.values.filter { $0.folder == folder }.sorted(by: Self.isNewer)
    }

    static func isNewer(_ one: Message, _ other: Message) -> Bool {
        (one.received, one.number) > (other.received, other.number)
    }

    static func field(_ name: String, _ bytes: Data) -> String {
        let header = String(decoding: bytes.prefix(16_384), as: UTF8.self)
        for line in header.split(separator: "\r\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                return parts[1].split(separator: " ").joined(separator: " ")
            }
        }
        return ""
    }

    static func addresses(_ text: String) -> [String] {
        text.split(whereSeparator: { "<>, ;".contains($0) }).filter { $0.contains("@") }.map(String.init)
    }

    func json(_ message: Message) -> JSONValue {
        func recipients(_ list: [String]) -> JSONValue {
            .array(list.map { ["emailAddress": ["address": .string($0)]] })
        }
        var properties: [JSONValue] = [
            [
                "id": "Integer 0xe08",
                "value": .string("\(sizes[message.id] ?? message.bytes.count + 900)"),
            ]
        ]
        if let verb = message.verb {
            properties.append(["id": "Integer 0x1081", "value": .string("\(verb)")])
        }
        let headers = String(decoding: message.bytes.prefix(16_384), as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false
        ).prefix { !$0.isEmpty }.compactMap { line -> JSONValue? in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2
                ? ["name": .string(String(parts[0])), "value": .string(String(parts[1].dropFirst()))] : nil
        }
        let content = message.bytes.firstRange(of: Data("\r\n\r\n".utf8)).map {
            String(decoding: message.bytes[$0.upperBound...].prefix(5_000), as: UTF8.self)
        }
        return [
            "@odata.etag": .string("W/\"\(message.changed)\""), "id": .string(message.id),
            "receivedDateTime": .string(message.received.formatted(.iso8601)),
            "lastModifiedDateTime": .string("\(message.changed)"), "isRead": .bool(message.isRead),
            "isDraft": .bool(message.isDraft),
            "flag": ["flagStatus": .string(message.isFlagged ? "flagged" : "notFlagged")],
            "categories": .array(message.categories.map { .string($0) }),
            "importance": .string(message.importance), "parentFolderId": .string(message.folder),
            "internetMessageId": .string(Self.field("Message-ID", message.bytes)),
            "toRecipients": recipients(Self.addresses(Self.field("To", message.bytes))),
            "ccRecipients": recipients(Self.addresses(Self.field("Cc", message.bytes))),
            "bccRecipients": recipients(message.bcc), "singleValueExtendedProperties": .array(properties),
            "internetMessageHeaders": .array(Array(headers)),
            "body": ["contentType": "text", "content": .string(content ?? "")],
            "attachments": .array(message.attachments),
        ]
    }

    static func selected(_ json: JSONValue, _ query: [String: String]) -> JSONValue {
        guard let select = query["$select"], let all = json.objectValue else { return json }
        var names = Set(select.split(separator: ",").map(String.init)).union(["id", "@odata.etag"])
        if let expand = query["$expand"] {
            for name in ["singleValueExtendedProperties", "attachments"] where expand.contains(name) {
                names.insert(name)
            }
        }
        return .object(all.filter { names.contains($0.key) })
    }
}
