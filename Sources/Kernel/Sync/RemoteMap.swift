import FoundationEssentials
import MailKernelAPI

/// The mailboxes of an account as named by the service, its feeds and features: the last known state, stored
/// with the account, so that it is available offline.
struct RemoteMap: Codable, Sendable, Hashable {
    var mailboxes: [String: String] = [:]
    var feeds: [Feed] = []
    var features: AccountFeatures = []
    /// Whether the places were made that the service had not.
    var hasPlaces: Bool?
    /// The data of these feeds still has to be removed.
    var goneFeeds: [Feed]?

    private static let collection = "remote-map"
    static let dataType = DataType.documents(collection)

    func local(_ remote: RemoteMailboxID) -> Id<Mailbox>? { mailboxes[remote.rawValue].map { Id($0) } }

    func remote(_ local: Id<Mailbox>) -> RemoteMailboxID? {
        mailboxes.first { $0.value == local.rawValue }.map { Id($0.key) }
    }

    /// The feed whose messages are all in this mailbox, if there is one.
    func feed(of mailbox: RemoteMailboxID) -> FeedID? { feeds.first { $0.mailboxID == mailbox }?.id }

    /// These are where mail is read from, as of now. Those that nothing has taken the place of are gone.
    mutating func setFeeds(_ now: [Feed], renamed: [RenamedFeed]) {
        let new = feeds.filter { feed in
            !now.contains { $0.id == feed.id } && !renamed.contains { $0.old == feed.id }
                && goneFeeds?.contains { $0.id == feed.id } != true
        }
        if !new.isEmpty { goneFeeds = (goneFeeds ?? []) + new }
        feeds = now
    }

    mutating func link(_ remote: RemoteMailboxID, to local: Id<Mailbox>) {
        mailboxes[remote.rawValue] = local.rawValue
    }

    /// The service renamed a mailbox. Its mail is reported as before until a listing says otherwise.
    mutating func rename(_ local: Id<Mailbox>, to remote: RemoteMailboxID) {
        if let old = self.remote(local) {
            for index in feeds.indices where feeds[index].mailboxID == old { feeds[index].mailboxID = remote }
        }
        unlink(local)
        link(remote, to: local)
    }

    mutating func unlink(_ local: Id<Mailbox>) {
        mailboxes = mailboxes.filter { $0.value != local.rawValue }
    }

    mutating func unlink(_ local: Set<Id<Mailbox>>) {
        mailboxes = mailboxes.filter { !local.contains(Id($0.value)) }
    }

    static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError) -> RemoteMap
    {
        try await stored(accountID, in: store) ?? RemoteMap()
    }

    /// Nil if the account was never listed, or only by a version that wrote it differently: the next listing makes it
    /// again. A store that cannot be read throws, since every mailbox would seem to be new then.
    static func stored(
        _ accountID: Id<Account>, in store: MailStore
    ) async throws(StorageError) -> RemoteMap? {
        try await store.backend.document(key(accountID))?.read(as: RemoteMap.self)
    }

    func change(for accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "map", accountID: accountID)
    }
}

extension Document {
    /// The decoded value; nil if another version of the program wrote it differently. This is the only place
    /// that is lenient about documents: read errors of the store are thrown earlier.
    func read<Value: Decodable>(as type: Value.Type) -> Value? { try? value.decoded(as: type) }
}

extension JSONValue {
    /// A value as the JSON it encodes to.
    init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    /// The decoded value of this JSON.
    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
    }
}
