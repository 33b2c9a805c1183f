import MailKernelAPI
import Store

extension MailStore {
    /// Commits changes that follow from how the service names an account's mail. They are made again if a reading, an
    /// answer of the service or the user changes that meanwhile, or destroys a record that they need.
    ///
    /// - Parameter types: further types that `changes` reads, and that must not change before the commit.
    @discardableResult
    package func commitNamed(
        in accountID: Id<Account>, preconditions: [ChangeSet.Precondition] = [],
        reading types: [DataType] = [],
        _ changes: @Sendable () async throws -> [StorageChange]
    ) async throws -> (changes: [StorageChange], result: CommitResult) {
        let watched = Self.naming + types
        var misses = 0
        while true {
            try Task.checkCancellation()
            var all = preconditions
            for type in watched {
                all.append(.init(type, in: accountID, is: try await read.state(of: type, in: accountID)))
            }
            let wanted = try await changes()
            do throws(StorageError) {
                return (wanted, try await commit(wanted, preconditions: all))
            } catch {
                if case .stateMismatch(let type, _) = error, watched.contains(type) { continue }
                // A record that `changes` has read was destroyed before the commit.
                guard case .notFound = error, misses < Self.mostMisses else { throw error }
                misses += 1
            }
        }
    }

    /// A record that is missing this often was not destroyed just now.
    private static let mostMisses = 8

    /// What is written whenever a message or a mailbox gets a name.
    private static let naming: [DataType] =
        [
            RemoteMap.cursors, UnnamedEmail.collection, PendingChanges.collection,
        ].map { .documents($0) } + [RemoteMap.dataType]
}
