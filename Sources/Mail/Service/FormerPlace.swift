import FoundationEssentials
import MailKernelAPI
import Store

/// The place where an account's mail was read before, by way of another plugin (decision 151). What it called the messages
/// means nothing now.
///
///     leaving ──the names are set aside──▶ recognizing ──all was read at the new place──▶ gone
///                                              ╰──most of it is not there──▶ held ──it is──▶ gone
///
/// An email whose name was set aside keeps a reference in a feed of its own (`feed`) until it is recognized at the new
/// place, or known to be missing there.
package struct FormerPlace: Codable, Sendable, Hashable {
    package static let collection = "former-place"
    package static let dataType = DataType.documents(collection)
    /// No provider has such a feed: what it names is not there.
    package static let feed = FeedID("\u{1}former place")

    package enum Phase: String, Codable, Sendable {
        case leaving, recognizing
        /// So much of the mail is not at the new place that it is probably still on its way there: nothing is removed.
        case held
    }

    package var phase = Phase.leaving
    /// How many messages were recognized at the new place.
    package var recognized = 0

    package init() {}

    package static func load(
        _ accountID: Id<Account>, from store: MailStore
    ) async throws(StorageError) -> FormerPlace? {
        try await store.read.document(key(accountID))?.read(as: FormerPlace.self)
    }

    /// Whether the names that messages have here may still be those of the former place.
    package static func isBeingLeft(
        _ accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Bool {
        try await load(accountID, from: store)?.phase == .leaving
    }

    package func change(for accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(accountID), value: try JSONValue(encoding: self)))
    }

    package static func forgotten(_ accountID: Id<Account>) -> StorageChange {
        .destroyDocument(key(accountID))
    }

    /// What sets the name of an email aside.
    package static func setAside(_ id: Id<Email>, in accountID: Id<Account>) -> StorageChange {
        .putRemote(
            RemoteRef(emailID: id, accountID: accountID, feed: feed, remoteID: RemoteMessageID(id.rawValue)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "place", accountID: accountID)
    }
}

/// Which emails were read through another plugin than the account has now: the parts of a message have other names there.
package enum FormerParts {
    private static let name = "parts"

    /// - Parameter last: a new id, which sorts after those of all emails so far.
    package static func change(_ last: String, of accountID: Id<Account>) -> StorageChange {
        .putDocument(Document(key(accountID), value: .string(last)))
    }

    static func are(
        in email: Id<Email>, of accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Bool {
        guard let last = try await store.read.document(key(accountID))?.value.stringValue else {
            return false
        }
        // The first character says what it is the id of.
        return email.rawValue.dropFirst() <= last.dropFirst()
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(FormerPlace.collection, name, accountID: accountID)
    }
}

extension [RemoteRef] {
    /// Those that the service knows.
    package var current: [RemoteRef] { filter { $0.feed != FormerPlace.feed } }
}
