import MailKernelAPI
import StoreRules
import Synchronization

/// Commits of a store with several servers. Each takes place on the server of its account. What it changes besides, of
/// what belongs to no account, follows at the home server as a deed.
extension OpenStore {
    func commitOnOneServer(_ set: ChangeSet) async throws(StorageError) -> CommitResult {
        let ids = Array(set.accountIDs)
        let result = try await following(ids) { () throws(StorageError) in
            let known = Dictionary(ids.map { ($0, map.server(of: $0) ?? home.name) }) { first, _ in first }
            return try await commit(set, Set(known.values), Set(ids.filter { map.server(of: $0) != nil }))
        }
        if let result { return result }
        // One of the accounts is nowhere: the commit says what it lacks.
        return try await commit(set, Set(ids.map { map.server(of: $0) ?? home.name }), [])
    }

    private func commit(
        _ set: ChangeSet, _ names: Set<String>, _ expected: Set<Id<Account>>
    ) async throws(StorageError) -> CommitResult {
        guard names.count < 2 else {
            throw .unsupported("Accounts on several servers cannot be changed together.")
        }
        let kernel = kernel
        guard let name = names.first, name != home.name else {
            return try await home.write { connection throws(StorageError) in
                try Commit.apply(
                    set, kernel: kernel, to: connection, CommitSite(kind: .home, expected: expected))
            }
        }
        let server = try server(named: name)
        let site = CommitSite(kind: .further, expected: expected)
        guard let common = set.common else {
            return try await server.write { connection throws(StorageError) in
                try Commit.apply(set, kernel: kernel, to: connection, site)
            }
        }
        return try await commit(set.ofAccounts, site, at: server, and: common)
    }

    /// The part of the account is committed while the home server keeps the rest locked: so its conditions hold for both.
    private func commit(
        _ own: ChangeSet, _ site: CommitSite, at server: StoreServer, and common: ChangeSet
    ) async throws(StorageError) -> CommitResult {
        let kernel = kernel
        return try await server.writers.withLane { further throws(StorageError) in
            // Before a connection to the home server is taken: other accounts need those while this server is waited for.
            do throws(StorageError) {
                try await further.run { lane throws(StorageError) in try lane.wake() }
            } catch {
                throw server.noted(error)
            }
            return try await home.writers.withLane { lane throws(StorageError) in
                let work = MixedCommit(own, site, common, kernel: kernel, at: server, further)
                return try await lane.run { lane throws(StorageError) in try work.run(lane) }
            }
        }
    }
}

/// A commit that changes an account on a further server, and something at home.
private final class MixedCommit: Sendable {
    private let own: ChangeSet
    private let site: CommitSite
    private let common: ChangeSet
    private let kernel: [UInt8]
    private let server: StoreServer
    private let further: Lane
    /// What was committed at the further server: from then on, the rest will follow.
    private let committed = Mutex<(states: [CommitResult.StateChange], deed: Deed)?>(nil)

    init(
        _ own: ChangeSet, _ site: CommitSite, _ common: ChangeSet, kernel: [UInt8], at server: StoreServer,
        _ further: Lane
    ) {
        self.own = own
        self.site = site
        self.common = common
        self.kernel = kernel
        self.server = server
        self.further = further
    }

    func run(_ home: Lane) throws(StorageError) -> CommitResult {
        do throws(StorageError) {
            let states = try home.write { connection throws(StorageError) in
                try Commit.check(common.preconditions, kernel: kernel, on: connection)
                let deed = try commitOwn()
                return try deed.carryOut(at: connection, as: kernel)
            }
            guard let committed = committed.withLock({ $0 }) else { return CommitResult(states: states) }
            try? further.now { lane throws(StorageError) in
                try lane.write { connection throws(StorageError) in try committed.deed.forget(at: connection)
                }
            }
            return CommitResult(states: committed.states + states)
        } catch {
            // The deed is carried out later, and announced then.
            guard let committed = committed.withLock({ $0 }) else { throw error }
            return CommitResult(states: committed.states)
        }
    }

    /// Once, even if the transaction at home runs again.
    private func commitOwn() throws(StorageError) -> Deed {
        if let committed = committed.withLock({ $0 }) { return committed.deed }
        do throws(StorageError) {
            let result = try further.now { lane throws(StorageError) in
                try lane.write { connection throws(StorageError) in
                    let states = try Commit.apply(own, kernel: kernel, to: connection, site).states
                    return (states: states, deed: try Deed(common.changes, of: own, on: connection))
                }
            }
            committed.withLock { $0 = result }
            return result.deed
        } catch {
            throw server.noted(error)
        }
    }
}

extension ChangeSet {
    var accountIDs: Set<Id<Account>> {
        let named = changes.map(\.accountID) + preconditions.map(\.accountID)
        return Set(named.compactMap { $0 } + leases.map(\.accountID))
    }

    /// What concerns the home server; nil if nothing does.
    fileprivate var common: ChangeSet? {
        let common = ChangeSet(
            changes.filter { $0.accountID == nil || $0.isOfAccounts },
            preconditions: preconditions.filter { $0.accountID == nil })
        return common.changes.isEmpty && common.preconditions.isEmpty ? nil : common
    }

    /// What concerns accounts.
    fileprivate var ofAccounts: ChangeSet {
        ChangeSet(
            changes.filter { $0.accountID != nil },
            preconditions: preconditions.filter { $0.accountID != nil },
            leases: leases)
    }
}
