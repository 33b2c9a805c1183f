import MailKernelAPI

/// Whether onboarding is complete, and the accounts that wait for it.
///
/// Onboarding shows how much space mail needs, so no mail is fetched before.
struct Onboarding: Sendable {
    private static let collection = "onboarding"
    private static let waiting = "waits"

    let store: MailStore

    /// The program has been set up, and still has an account.
    var isComplete: Bool {
        get async throws(StorageError) {
            guard try await Preferences(store).value(.onboarding).boolValue == true else { return false }
            return try await !store.backend.accounts().isEmpty
        }
    }

    /// Without accounts, onboarding starts again: after the last one was removed, and at a start without any.
    func beginAgainWithoutAccounts() async throws(StorageError) {
        guard try await store.backend.accounts().isEmpty else { return }
        // Without an account it is incomplete, even if this cannot be stored.
        do throws(StorageError) { try await Preferences(store).reset(.onboarding) } catch .full {}
    }

    // MARK: Accounts that wait

    static func wait(_ id: Id<Account>) -> StorageChange {
        .putDocument(Document(key(id), value: true))
    }

    func isAwaited(by id: Id<Account>) async throws(StorageError) -> Bool {
        try await store.backend.document(Self.key(id)) != nil
    }

    /// Returns whether the account had to wait until now.
    func release(_ id: Id<Account>) async throws(StorageError) -> Bool {
        guard try await isAwaited(by: id) else { return false }
        try await store.commit([.destroyDocument(Self.key(id))])
        return true
    }

    private static func key(_ id: Id<Account>) -> DocumentKey {
        DocumentKey(collection, waiting, accountID: id)
    }
}
