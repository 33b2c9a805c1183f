import MailKernelAPI
import Synchronization

/// The accounts of a store that are on a server of their own, while that does not respond. Lists of several accounts leave
/// them out.
package final class SilentAccounts: Sendable {
    package static let reason = "server “two”: connection refused"

    private let ids = Mutex<Set<Id<Account>>>([])

    package init() {}

    package func set(_ new: Set<Id<Account>>) { ids.withLock { $0 = new } }

    func check(_ id: Id<Account>?) throws(StorageError) {
        guard let id, ids.withLock({ $0.contains(id) }) else { return }
        throw .unreachable(reason: Self.reason)
    }

    func leftOut(of query: EmailQuery) -> EmailQuery {
        var query = query
        query.accountIDs.removeAll { id in ids.withLock { $0.contains(id) } }
        return query
    }
}

struct InterceptedSharing: StorageSharing {
    let inner: any StorageSharing
    let silent: SilentAccounts

    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? {
        try silent.check(accountID)
        return try await inner.takeLease(of: accountID)
    }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {
        try silent.check(lease.accountID)
        try await inner.releaseLease(lease)
    }

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { inner.statesOfOthers() }
}
