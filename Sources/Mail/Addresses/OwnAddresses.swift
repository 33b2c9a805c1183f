import MailKernelAPI
import MessageFormat
import Store

/// The user's own addresses: the identities of all accounts, compared as addresses and not as texts.
package struct OwnAddresses: Sendable {
    private let keys: Set<String>

    package init(_ addresses: [String]) {
        keys = Set(addresses.map { EmailAddress(email: $0).key })
    }

    /// - Parameter only: those of one account; of all if it is nil.
    package static func load(
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
    package func contains(_ address: EmailAddress) -> Bool {
        keys.contains(address.key) || Self.withoutDetail(address).map(keys.contains) ?? false
    }

    /// The key of `ada@example.org` for `ada+list@example.org`; nil if the address has no detail.
    package static func withoutDetail(_ address: EmailAddress) -> String? {
        let key = address.key
        guard let plus = key.firstIndex(of: "+"), plus > key.startIndex, let at = key.lastIndex(of: "@"),
            plus < at
        else { return nil }
        return String(key[..<plus] + key[at...])
    }
}
