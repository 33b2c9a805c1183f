import MailKernelAPI
import Network
import Store

/// The hosts that the user entered for each account: the meaning of `*` in a manifest.
package struct AccountHosts: Sendable {
    private static let collection = "accountHosts"

    let store: MailStore
    let entered: EnteredHosts

    package init(store: MailStore, entered: EnteredHosts) {
        self.store = store
        self.entered = entered
    }

    /// The plugin may contact them for as long as this sign-in is there, whether or not an account comes of it.
    func allow(_ hosts: Set<String>, for pluginID: String, during signIn: String) {
        entered.allow(hosts, for: pluginID, of: signIn)
    }

    func allow(_ hosts: Set<String>, of account: Account) {
        entered.allow(hosts, for: account.pluginID, of: account.id.rawValue)
    }

    func forget(signIn: String) { entered.forget(signIn) }

    func forget(_ account: Id<Account>) { entered.forget(account.rawValue) }

    /// Keeps them with an account that is being added.
    static func keep(_ hosts: Set<String>, of id: Id<Account>) -> [StorageChange] {
        hosts.isEmpty
            ? []
            : [.putDocument(Document(key(id), value: .array(hosts.sorted().map { .string($0) })))]
    }

    /// In place of those that were entered before.
    static func replace(_ hosts: Set<String>, of id: Id<Account>) -> [StorageChange] {
        hosts.isEmpty ? [.destroyDocument(key(id))] : keep(hosts, of: id)
    }

    /// At the start: the hosts of all existing accounts.
    func allowAll(of accounts: [Account]) async throws(StorageError) {
        for account in accounts {
            let known = try await known(of: account.id)
            if !known.isEmpty { allow(known, of: account) }
        }
    }

    /// The hosts that were entered for an account so far.
    func known(of id: Id<Account>) async throws(StorageError) -> Set<String> {
        let kept = try await store.read.document(Self.key(id))
        return Set((kept?.value.arrayValue ?? []).compactMap(\.stringValue))
    }

    private static func key(_ id: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "entered", accountID: id)
    }
}
