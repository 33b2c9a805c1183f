import MailKernelAPI
import Store
import Sync

/// A new sign-in of an account, which has been tried and takes the place of the old one.
///
///     begun ──the settings are saved──▶ decided ──the secrets are in their place──▶ gone
///       ╰────it failed, or the program ended──▶ gone, together with the new secrets
///
/// Settings and secrets are in different stores, and the program may end between any two writes. Until the new secrets
/// are in their place they have names of their own, so that either the old sign-in is whole or the new one.
struct SignInChange: Codable, Sendable, Hashable {
    private static let collection = "sign-in-change"

    /// The names of the new secrets.
    let names: [String]
    /// The names of old secrets that the new sign-in does not use.
    let obsolete: [String]
    private(set) var isDecided = false

    init(to names: some Sequence<String>, from old: [String]) {
        self.names = names.sorted()
        obsolete = Set(old).subtracting(names).sorted()
    }

    /// The name of a new secret until it is in its place.
    static func waiting(_ name: String) -> String { "new sign-in: \(name)" }

    static func load(
        _ accountID: Id<Account>, from store: MailStore
    ) async throws(StorageError) -> SignInChange? {
        try await store.read.document(key(accountID))?.read(as: SignInChange.self)
    }

    func begun(for id: Id<Account>) throws -> StorageChange { try put(self, id) }

    func decided(for id: Id<Account>) throws -> StorageChange {
        var decided = self
        decided.isDecided = true
        return try put(decided, id)
    }

    static func done(_ accountID: Id<Account>) -> StorageChange { .destroyDocument(key(accountID)) }

    private func put(_ change: SignInChange, _ id: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(id), value: try JSONValue(encoding: change)))
    }

    private static func key(_ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "change", accountID: accountID)
    }
}

extension Accounts {
    /// Puts the secrets of a new sign-in in their place, or removes them if it was not decided. To be called exclusively.
    ///
    /// On a shared store, other computers do nothing: the secrets are not there.
    func finishSignInChange(of account: Account) async throws {
        guard let change = try await SignInChange.load(account.id, from: store) else { return }
        let drawer = secrets.drawer(account)
        var isHere = keeper == nil
        for name in change.names {
            guard let secret = try await drawer.secret(named: SignInChange.waiting(name)) else { continue }
            isHere = true
            if change.isDecided { try await drawer.store(secret, named: name) }
            try await drawer.removeSecret(named: SignInChange.waiting(name))
        }
        if change.isDecided { for name in change.obsolete { try await drawer.removeSecret(named: name) } }
        if isHere { try await store.commit([SignInChange.done(account.id)]) }
    }

    /// Whether the secrets are those that belong to the account's settings. If not, the account cannot begin.
    func hasSettledSecrets(_ account: Account) async throws(StorageError) -> Bool {
        let id = account.id
        // Each try may ask the user to unlock something.
        guard localSignIns.problems[id] == nil else { return true }
        do {
            try await finishSignInChange(of: account)
            return true
        } catch let error as StorageError {
            throw error
        } catch {
            let reason = (error as? SecretError).map { AccountError.secrets($0) } ?? .cancelled
            let problem = SyncStatus(.failed, because: reason)
            if keeper != nil { localSignIns.problems[id] = problem }
            status.set(problem, of: id)
            return false
        }
    }

    /// What became of a new sign-in after an error. Nil if the old one stays; the new secrets are gone then.
    func decided(_ id: Id<Account>) async throws -> Account? {
        guard let account = try await store.account(id) else { return nil }
        let change = try await SignInChange.load(id, from: store)
        guard change?.isDecided != true else { return account }
        // Where this fails, it is done when the account is started next.
        try? await finishSignInChange(of: account)
        return nil
    }
}
