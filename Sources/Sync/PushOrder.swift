import Mail
import MailKernelAPI
import Store

/// The order in which changes are sent: oldest first, but a mailbox is created before anything that needs it.
///
/// A change gets its name, and so its place, from the clock of the computer that makes it. If another computer created
/// the mailbox, or the clock was set back since, the creation can come after the changes that build on it. Sent without
/// the mailbox, they would take messages out of the inbox and put them nowhere.
struct PushOrder {
    typealias Entry = (name: String, change: PendingChange)

    private let store: MailStore
    private let accountID: Id<Account>
    private let creations: [Id<Mailbox>: Entry]
    private let renamed: Set<Id<Mailbox>>
    private var taken: Set<String> = []
    private var ordered: [Entry] = []

    static func of(
        _ changes: [Entry], in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [Entry] {
        var order = PushOrder(changes, in: accountID, store)
        guard !order.creations.isEmpty else { return changes }
        for entry in changes { try await order.add(entry) }
        return order.ordered
    }

    private init(_ changes: [Entry], in accountID: Id<Account>, _ store: MailStore) {
        (self.accountID, self.store) = (accountID, store)
        let creations = changes.compactMap { entry -> (Id<Mailbox>, Entry)? in
            if case .createMailbox(let id) = entry.change.kind { (id, entry) } else { nil }
        }
        self.creations = Dictionary(creations) { first, _ in first }
        renamed = Set(
            changes.compactMap { entry -> Id<Mailbox>? in
                if case .renameMailbox(let id, _) = entry.change.kind { id } else { nil }
            })
    }

    private mutating func add(_ entry: Entry) async throws(StorageError) {
        guard taken.insert(entry.name).inserted else { return }
        for id in try await needed(for: entry.change).sorted() {
            if let creation = creations[id] { try await add(creation) }
        }
        ordered.append(entry)
    }

    private func needed(for change: PendingChange) async throws(StorageError) -> Set<Id<Mailbox>> {
        switch change.kind {
        case .update(let updates):
            return updates.reduce(into: []) { $0.formUnion($1.addMailboxes) }
        case .createMailbox(let id):
            // One that was moved since gets its place by that.
            guard !renamed.contains(id) else { return [] }
            return Set(try await store.read.mailboxes([id], in: accountID).compactMap(\.mailbox.parentID))
        case .append, .destroy, .renameMailbox, .deleteMailbox: return []
        }
    }
}
