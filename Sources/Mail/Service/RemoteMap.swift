import FoundationEssentials
import MailKernelAPI
import Store

/// The mailboxes of an account as named by the service, its feeds and features: the last known state, stored
/// with the account, so that it is available offline.
package struct RemoteMap: Codable, Sendable, Hashable {
    package var mailboxes: [RemoteMailboxID: Id<Mailbox>] = [:]
    package var feeds: [Feed] = []
    package var features: AccountFeatures = []
    /// Whether the places were made that the service had not.
    package var hasPlaces: Bool?
    /// The data of these feeds still has to be removed.
    package var goneFeeds: [Feed]?

    private static let collection = "remote-map"
    package static let dataType = DataType.documents(collection)
    /// How far each feed was read.
    package static let cursors = "sync-cursor"

    package init() {}

    package func local(_ remote: RemoteMailboxID) -> Id<Mailbox>? {
        mailboxes[remote]
    }

    package func remote(_ local: Id<Mailbox>) -> RemoteMailboxID? {
        mailboxes.first { $0.value == local }?.key
    }

    /// The feed whose messages are all in this mailbox, if there is one.
    package func feed(of mailbox: RemoteMailboxID) -> FeedID? { feeds.first { $0.mailboxID == mailbox }?.id }

    /// These are where mail is read from, as of now. Those that nothing has taken the place of are gone.
    package mutating func setFeeds(_ now: [Feed], renamed: Set<FeedID>) {
        let new = feeds.filter { feed in
            !now.contains { $0.id == feed.id } && !renamed.contains(feed.id)
                && goneFeeds?.contains { $0.id == feed.id } != true
        }
        if !new.isEmpty { goneFeeds = (goneFeeds ?? []) + new }
        feeds = now
    }

    package mutating func link(_ remote: RemoteMailboxID, to local: Id<Mailbox>) {
        mailboxes[remote] = local
    }

    /// The service renamed a mailbox. Its mail is reported as before until a listing says otherwise.
    package mutating func rename(_ local: Id<Mailbox>, to remote: RemoteMailboxID) {
        if let old = self.remote(local) {
            for index in feeds.indices where feeds[index].mailboxID == old { feeds[index].mailboxID = remote }
        }
        unlink(local)
        link(remote, to: local)
    }

    package mutating func unlink(_ local: Id<Mailbox>) {
        mailboxes = mailboxes.filter { $0.value != local }
    }

    package mutating func unlink(_ local: Set<Id<Mailbox>>) {
        mailboxes = mailboxes.filter { !local.contains($0.value) }
    }

    package static func load(_ accountID: Id<Account>, from store: MailStore) async throws(StorageError)
        -> RemoteMap
    {
        try await stored(accountID, in: store) ?? RemoteMap()
    }

    /// Nil if the account was never listed, or only by a version that wrote it differently: the next listing makes it
    /// again. A store that cannot be read throws, since every mailbox would seem to be new then.
    package static func stored(
        _ accountID: Id<Account>, in store: MailStore
    ) async throws(StorageError) -> RemoteMap? {
        try await store.read.document(key(accountID))?.read(as: RemoteMap.self)
    }

    package func change(for accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "map", accountID: accountID)
    }
}
