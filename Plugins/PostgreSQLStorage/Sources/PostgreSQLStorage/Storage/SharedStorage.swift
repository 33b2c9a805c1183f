import MailKernelAPI

extension PostgreSQLStorage: StorageSharing {
    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? {
        let store = try store()
        let fence = try await store.write { connection throws(StorageError) -> Int? in
            guard try connection.account(accountID) != nil else { throw .notFound("account \(accountID)") }
            return try connection.takeLease(of: accountID, for: store.kernel)
        }
        return fence.map { StoreLease(accountID: accountID, fence: $0) }
    }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {
        let store = try store()
        try await store.write { connection throws(StorageError) in
            _ = try connection.run(
                "UPDATE account SET holder = NULL WHERE id = $1 AND holder = $2 AND fence = $3",
                .id(lease.accountID), .bytes(store.kernel), .integer(lease.fence))
        }
    }

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> {
        guard let store = try? store() else { return AsyncStream { $0.finish() } }
        return store.others.stream()
    }
}
