import FoundationEssentials
import MailKernelAPI
import Store

/// A local change that has not been sent to the service.
///
/// It is stored in the same commit as the change itself, and removed when the service has accepted it, or
/// when it was undone because the service refused it.
package struct PendingChange: Codable, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// What really changed of each email, so that undoing it touches nothing else.
        case update([EmailUpdate])
        /// The names that the service has for emails that are gone here.
        case destroy([RemoteAddress])
        /// A message that was made here. Its bytes are the email's blob.
        case append(Id<Email>)
        case createMailbox(Id<Mailbox>)
        case renameMailbox(Id<Mailbox>, old: Mailbox)
        case deleteMailbox(RemoteMailboxID)
    }

    package var kind: Kind
    package var tries = 0
    /// After a failed try, when to try again.
    package var nextTryAt: Date?
    /// It was being sent when the last attempt ended: an added or moved message may be there under an unknown
    /// id.
    package var mayBeThere: Bool?
    /// The emails among them that the service had by a name when it was told first.
    package var named: Set<Id<Email>>?
    /// How often it has waited for the name of a message.
    package var waits: Int?
    /// A renamed mailbox with a temporary name on the service, until another mailbox has left its place.
    package var isParked: Bool?
    /// The id at the service of a renamed mailbox that was destroyed since.
    package var gone: RemoteMailboxID?
    /// The name of the change whose second step this is: it is taken back with it.
    package var follows: String?
    /// What the messages that are to be destroyed are recognized by, should the account move to another place before the
    /// service is told.
    package var lost: [LostEmail]?

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The messages of this feed that are to be destroyed.
    package func destroyed(in feed: FeedID) -> [RemoteMessageID] {
        guard case .destroy(let addresses) = kind else { return [] }
        return addresses.filter { $0.feed == feed }.map(\.id)
    }

    /// Emails that the service may have, or may have moved, without having reported it.
    package var emailsThatMayBeThere: [Id<Email>] {
        guard mayBeThere == true else { return [] }
        switch kind {
        case .append(let id): return [id]
        case .update(let updates): return updates.filter(\.changesMailboxes).map(\.id)
        case .destroy, .createMailbox, .renameMailbox, .deleteMailbox: return []
        }
    }

    /// The mailboxes that tell whether it has happened.
    package func mailboxesItShowsIn(_ emails: [Email]) -> Set<Id<Mailbox>> {
        switch kind {
        case .append(let id): emails.first { $0.id == id }?.mailboxIDs ?? []
        case .update(let updates): Set(updates.flatMap { $0.addMailboxes.union($0.removeMailboxes) })
        case .destroy, .createMailbox, .renameMailbox, .deleteMailbox: []
        }
    }

    /// Mailboxes that emails may have been moved out of, without a report.
    package var mailboxesThatMayBeLeft: [Id<Mailbox>] {
        guard mayBeThere == true, case .update(let updates) = kind else { return [] }
        return updates.flatMap(\.removeMailboxes)
    }

    /// Whether it makes or renames this mailbox.
    func concerns(_ id: Id<Mailbox>) -> Bool {
        switch kind {
        case .createMailbox(id), .renameMailbox(id, _): true
        case .createMailbox, .renameMailbox, .update, .destroy, .append, .deleteMailbox: false
        }
    }

    /// Both steps of a change as one: undone separately, an email could be in no mailbox in between.
    package func joined(with second: PendingChange) -> PendingChange {
        guard case .update(let updates) = kind else { return self }
        var joined = self
        joined.kind = .update(
            updates.map { update in
                var update = update
                update.addMailboxes.formUnion(second.update(of: update.id)?.addMailboxes ?? [])
                update.removeMailboxes.formUnion(second.update(of: update.id)?.removeMailboxes ?? [])
                return update
            })
        return joined
    }

    /// The update of this email in it, if there is one.
    package func update(of id: Id<Email>) -> EmailUpdate? {
        guard case .update(let updates) = kind else { return nil }
        return updates.first { $0.id == id }
    }
}

extension PendingChange.Kind: Codable {
    /// How it is stored. A program that does not know a case leaves the change to one that does.
    private enum Stored: Codable {
        case update([EmailUpdate])
        case updateAlike([UpdateGroup])
        case destroy([RemoteAddress])
        case append(Id<Email>)
        case createMailbox(Id<Mailbox>)
        case renameMailbox(Id<Mailbox>, old: Mailbox)
        case deleteMailbox(RemoteMailboxID)
    }

    package init(from decoder: any Decoder) throws {
        self =
            switch try Stored(from: decoder) {
            case .update(let updates): .update(updates)
            case .updateAlike(let groups): .update(groups.flatMap(\.updates))
            case .destroy(let addresses): .destroy(addresses)
            case .append(let id): .append(id)
            case .createMailbox(let id): .createMailbox(id)
            case .renameMailbox(let id, let old): .renameMailbox(id, old: old)
            case .deleteMailbox(let id): .deleteMailbox(id)
            }
    }

    package func encode(to encoder: any Encoder) throws {
        let stored: Stored =
            switch self {
            case .update(let updates): UpdateGroup.all(updates).map { .updateAlike($0) } ?? .update(updates)
            case .destroy(let addresses): .destroy(addresses)
            case .append(let id): .append(id)
            case .createMailbox(let id): .createMailbox(id)
            case .renameMailbox(let id, let old): .renameMailbox(id, old: old)
            case .deleteMailbox(let id): .deleteMailbox(id)
            }
        try stored.encode(to: encoder)
    }
}

/// The changes of one account that wait, oldest first.
package struct PendingChanges: Sendable {
    package static let collection = "pending-change"

    let store: MailStore
    let accountID: Id<Account>

    package init(store: MailStore, accountID: Id<Account>) {
        self.store = store
        self.accountID = accountID
    }

    package func all() async throws(StorageError) -> [(name: String, change: PendingChange)] {
        try await store.allDocuments(in: Self.collection, accountID: accountID).compactMap { document in
            // Changes written by a newer program cannot be sent by this one.
            document.read(as: PendingChange.self).map { (document.key.name, $0) }
        }
    }

    /// Whether none waits: a large action leaves hundreds, which take long to read for that.
    package var isEmpty: Bool {
        get async throws(StorageError) {
            var last: String?
            while true {
                let page = try await store.read.documents(
                    in: Self.collection, accountID: accountID, after: last, limit: Self.few)
                if page.contains(where: { $0.read(as: PendingChange.self) != nil }) { return false }
                guard page.count == Self.few else { return true }
                last = page.last?.key.name
            }
        }
    }

    private static let few = 2

    /// Changes made from now on are sent after those that wait. Otherwise a clock that was set back before the program
    /// started would reverse what the user did: a message that was moved there and back again would stay there.
    package func precede(_ ids: IDMaker) async throws(StorageError) {
        for document in try await store.allDocuments(in: Self.collection, accountID: accountID) {
            ids.follow(document.key.name)
        }
    }

    package func contains(_ name: String) async throws(StorageError) -> Bool {
        try await store.read.document(key(name)) != nil
    }

    /// The change of this name, as it is noted now; nil if it was carried out or taken back.
    package func change(_ name: String) async throws(StorageError) -> PendingChange? {
        try await store.read.document(key(name))?.read(as: PendingChange.self)
    }

    package func put(_ change: PendingChange, name: String) throws -> StorageChange {
        .putDocument(Document(key(name), value: try JSONValue(encoding: change)))
    }

    package func remove(_ name: String) -> StorageChange { .destroyDocument(key(name)) }

    private func key(_ name: String) -> DocumentKey {
        DocumentKey(Self.collection, name, accountID: accountID)
    }
}
