import MailKernelAPI
import Store

/// The addresses that an account's service named when the account signed in last. New ones become identities; those
/// that the user has removed stay removed.
enum ServiceAddresses {
    private static let collection = "service-addresses"

    static func keep(_ valid: ValidatedAccount, of id: Id<Account>) -> StorageChange {
        .putDocument(Document(key(id), value: .array(valid.identities.map { .string($0.email) })))
    }

    /// Nil if the account was added before they were recorded.
    static func load(_ id: Id<Account>, from store: MailStore) async throws(StorageError) -> [String]? {
        let value = try await store.read.document(key(id))?.value
        return value?.arrayValue?.compactMap(\.stringValue)
    }

    private static func key(_ id: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "found", accountID: id)
    }
}

extension Accounts {
    /// The addresses that the account's service named; nil if that was not recorded.
    package func serviceAddresses(of id: Id<Account>) async throws(StorageError) -> [String]? {
        try await ServiceAddresses.load(id, from: store)
    }

    /// Identities for addresses that the service names for the first time.
    func newIdentities(
        of valid: ValidatedAccount, for account: Account
    ) async throws(StorageError) -> [StorageChange] {
        // Before addresses were recorded, all of them became identities.
        guard let earlier = try await ServiceAddresses.load(account.id, from: store) else { return [] }
        let own = try await store.read.identities(nil, in: account.id).map(\.email)
        let known = Set((earlier + own).map { $0.lowercased() })
        return valid.identities.filter { !known.contains($0.email.lowercased()) }.map { address in
            .putIdentity(
                Identity(
                    id: ids.next("I"), accountID: account.id, name: address.name ?? valid.displayName,
                    email: address.email))
        }
    }
}
