import MailKernelAPI

extension PostgreSQLStorage: StorageSharing {
    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? {
        let store = try store()
        let taken = try await store.at(accountID) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) -> Int? in
                guard try connection.account(accountID) != nil else { throw .elsewhere }
                return try connection.takeLease(of: accountID, for: store.kernel)
            }
        }
        guard let fence = taken else { throw .notFound("account \(accountID)") }
        return fence.map { StoreLease(accountID: accountID, fence: $0) }
    }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {
        let store = try store()
        _ = try await store.at(lease.accountID) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                guard try connection.account(lease.accountID) != nil else { throw .elsewhere }
                try connection.run(
                    "UPDATE account SET holder = NULL WHERE id = $1 AND holder = $2 AND fence = $3",
                    .id(lease.accountID), .bytes(store.kernel), .integer(lease.fence))
            }
        }
    }

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> {
        guard let store = try? store() else { return AsyncStream { $0.finish() } }
        guard store.isSpread else { return store.home.others.stream() }
        // Here and now, not when a task begins: what is announced in between would be missed.
        let streams = store.servers.map { $0.others.stream() }
        return AsyncStream { continuation in
            let tasks = streams.map { stream in
                Task {
                    for await states in stream { continuation.yield(states) }
                    continuation.finish()
                }
            }
            continuation.onTermination = { _ in for task in tasks { task.cancel() } }
        }
    }
}
