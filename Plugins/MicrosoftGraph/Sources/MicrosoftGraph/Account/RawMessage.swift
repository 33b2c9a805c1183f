import FoundationEssentials
import MailKernelAPI
import WebCalls

/// A message as a list of changes tells of it. What did not change may be missing.
struct RawMessage: Sendable, Decodable {
    struct Flag: Sendable, Decodable { let flagStatus: String? }
    struct Property: Sendable, Decodable {
        let id: String
        let value: String?
    }

    let id: String
    let receivedDateTime: String?
    let isRead: Bool?
    let isDraft: Bool?
    let flag: Flag?
    let categories: [String]?
    let importance: String?
    let parentFolderId: String?
    let properties: [Property]?
    let removed: JSONValue?

    enum CodingKeys: String, CodingKey {
        case id, receivedDateTime, isRead, isDraft, flag, categories, importance, parentFolderId
        case properties = "singleValueExtendedProperties"
        case removed = "@removed"
    }

    /// Properties of Exchange that Graph has no names for: what was last done with a message, its size, whether it
    /// is a draft, and when it came.
    enum PropertyName {
        static let lastVerb = "Integer 0x1081"
        static let size = "Integer 0xE08"
        static let flags = "Integer 0x0E07"
        static let delivered = "SystemTime 0x0E06"
    }

    /// A field of another form than expected counts as missing: it must not hide the message.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func field<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) -> Value? {
            try? values.decodeIfPresent(type, forKey: key)
        }
        id = try values.decode(String.self, forKey: .id)
        receivedDateTime = field(String.self, .receivedDateTime)
        isRead = field(Bool.self, .isRead)
        isDraft = field(Bool.self, .isDraft)
        flag = field(Flag.self, .flag)
        categories = field([String].self, .categories)
        importance = field(String.self, .importance)
        parentFolderId = field(String.self, .parentFolderId)
        properties = field([Property].self, .properties)
        removed = values.contains(.removed) ? .bool(true) : nil
    }

    static let select = "$select=id,receivedDateTime,isRead,isDraft,flag,categories,importance,parentFolderId"
    static let expand =
        "$expand=" + "singleValueExtendedProperties($filter="
        + "id%20eq%20'Integer%200x1081'%20or%20id%20eq%20'Integer%200xE08')"

    var remoteID: RemoteMessageID? {
        let remote = RemoteMessageID(id)
        return remote.isUsable ? remote : nil
    }

    /// Whether everything is there that a message has.
    var isComplete: Bool {
        isRead != nil && isDraft != nil && flag != nil && categories != nil && importance != nil
            && date != nil
    }

    var date: Date? { receivedDateTime.flatMap { JSONDate.read($0) } }
    /// As Exchange counts it: not exactly that of the message's bytes.
    var size: Int? { number(PropertyName.size) }
    var lastVerb: Int? { number(PropertyName.lastVerb) }

    /// The service writes the number of a property as it likes: `Integer 0xe08`, `Integer 0x0E08`.
    private func number(_ name: String) -> Int? {
        func plain(_ text: String) -> String { text.lowercased().replacing("0x0", with: "0x") }
        return properties?.first { plain($0.id) == plain(name) }?.value.flatMap { Int($0) }
    }
}

extension Id {
    /// Microsoft's ids contain signs that JMAP's have not, and are written into paths with percent signs.
    var isUsable: Bool { (1...SyncLimits.idBytes).contains(rawValue.utf8.count) }
}
