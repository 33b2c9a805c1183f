import MailKernelAPI
import Store

/// Decides whether the cursors of an account match its stored mail.
///
/// Each cursor is stored with the epoch in which it was read. A new epoch is stored together with anything
/// that makes the stored mail incomplete, and invalidates all cursors at once, including those of a sync in
/// progress.
package struct SyncEpoch: Sendable, Hashable {
    package static let collection = "sync-epoch"

    package let name: String

    /// An account without a recorded epoch is in the unnamed one.
    package static func current(_ accountID: Id<Account>, in store: MailStore) async throws(StorageError)
        -> SyncEpoch
    {
        SyncEpoch(name: try await store.read.document(key(accountID))?.value.stringValue ?? "")
    }

    /// Makes the next sync of the account start from the beginning.
    package static func begin(_ accountID: Id<Account>, ids: IDMaker) -> StorageChange {
        .putDocument(Document(key(accountID), value: .string(ids.text("E"))))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "epoch", accountID: accountID)
    }
}

extension MailStore {
    /// Makes every account read its mail again, because the store was damaged: it kept the cursors, and not all
    /// of the mail that they stand for.
    package func readAnew(clock: any HostClock) async throws(StorageError) {
        let ids = IDMaker(clock: clock)
        try await commit(try await read.accounts().map { SyncEpoch.begin($0.id, ids: ids) })
    }
}
