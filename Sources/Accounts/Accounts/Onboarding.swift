import MailKernelAPI
import Store

/// Whether onboarding is complete, and the accounts that wait for it.
///
/// Onboarding shows how much space mail needs, so no mail is fetched before.
package struct Onboarding: Sendable {
    private static let collection = "onboarding"
    private static let waiting = "waits"

    let store: MailStore

    package init(store: MailStore) {
        self.store = store
    }

    /// The program has been set up, and still has an account.
    var isComplete: Bool {
        get async throws(StorageError) {
            guard try await Preferences(store).value(.onboarding).boolValue == true else { return false }
            return try await !store.read.accounts().isEmpty
        }
    }

    /// Without accounts, onboarding starts again: after the last one was removed, and at a start without any.
    package func beginAgainWithoutAccounts() async throws(StorageError) {
        guard try await store.read.accounts().isEmpty else { return }
        // Without an account it is incomplete, even if this cannot be stored.
        do throws(StorageError) { try await Preferences(store).reset(.onboarding) } catch .full {}
    }

    // MARK: Accounts that wait

    static func wait(_ id: Id<Account>) -> StorageChange {
        .putDocument(Document(key(id), value: true))
    }

    func isAwaited(by id: Id<Account>) async throws(StorageError) -> Bool {
        try await store.read.document(Self.key(id)) != nil
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
