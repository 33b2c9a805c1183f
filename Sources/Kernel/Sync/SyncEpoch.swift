import MailKernelAPI

/// Says whether the cursors of an account still stand for what is held of its mail.
///
/// Each cursor is stored with the epoch that it was read in. A new epoch is stored together with what makes
/// the mail here incomplete, and ends all cursors at once: those too that a reading under way is still to
/// store.
struct SyncEpoch: Sendable, Hashable {
    private static let collection = "sync-epoch"

    let name: String

    /// An account that has begun none is in the one without a name.
    static func current(_ accountID: Id<Account>, in store: MailStore) async throws(StorageError) -> SyncEpoch
    {
        SyncEpoch(name: try await store.backend.document(key(accountID))?.value.stringValue ?? "")
    }

    /// Makes the next reading of the account begin anew.
    static func begin(_ accountID: Id<Account>, ids: IDMaker) -> StorageChange {
        .putDocument(Document(key(accountID), value: .string(ids.text("E"))))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "epoch", accountID: accountID)
    }
}
