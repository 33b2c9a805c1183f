import MailKernelAPI

/// A part of the work of moving a store, in portions that fit into memory.
enum MoveTask: Sendable, Hashable {
    /// The account with its mailboxes and identities.
    case account(Id<Account>)
    /// Its emails with their bodies, references, insights and blobs.
    case emails(Id<Account>)
    /// Conversations that the new store did not put together again.
    case threads(Id<Account>)
    /// Its outbox, with the messages in it.
    case submissions(Id<Account>)
    /// The documents of a collection, with the blobs that they name.
    case documents(String, Id<Account>?)
    /// The contacts of all accounts.
    case contacts

    /// All of it, in an order in which each needs only earlier ones.
    static func all(of accounts: [Account]) -> [MoveTask] {
        let ids = accounts.map(\.id).sorted()
        return ids.map { .account($0) }
            + ids.flatMap { [.emails($0), .threads($0), .submissions($0)] }
            + ids.flatMap { id in DocumentCollections.all.map { .documents($0, id) } }
            + DocumentCollections.all.map { .documents($0, nil) } + [.contacts]
    }
}

/// Some of the records of a task.
struct RecordPortion: Sendable {
    var records: [MovedRecord] = []
    /// Where the next portion begins; nil if this is the last one.
    var next: String?
}
