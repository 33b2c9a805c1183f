import MailKernelAPI
import MessageFormat
import Store

/// The user's own addresses: the identities of all accounts, compared as addresses and not as texts.
struct OwnAddresses {
    private let keys: Set<String>

    init(_ addresses: [String]) {
        keys = Set(addresses.map { EmailAddress(email: $0).key })
    }

    /// - Parameter only: those of one account; of all if it is nil.
    static func load(
        from store: MailStore, only accountID: Id<Account>? = nil
    ) async throws(StorageError) -> OwnAddresses {
        var addresses: [String] = []
        for account in try await store.read.accounts() where accountID ?? account.id == account.id {
            addresses.append(account.address)
            addresses += try await store.read.identities(nil, in: account.id).map(\.email)
        }
        return OwnAddresses(addresses)
    }

    /// `ada+list@example.org` is `ada@example.org` too.
    func contains(_ address: EmailAddress) -> Bool {
        keys.contains(address.key) || ReceivingIdentity.withoutDetail(address).map(keys.contains) ?? false
    }
}

extension [EmailAddress] {
    /// Each address once, the first time it comes, without those in `others`.
    func once(besides others: [EmailAddress] = []) -> [EmailAddress] {
        var seen = Set(others.map(\.key))
        return filter { seen.insert($0.key).inserted }
    }
}
