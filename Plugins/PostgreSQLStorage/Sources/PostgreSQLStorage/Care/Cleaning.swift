import FoundationEssentials
import MailKernelAPI

extension PostgreSQLStorage {
    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        let store = try store()
        var freed = 0
        for server in store.servers {
            freed += try await server.write { connection throws(StorageError) in
                var freed = 0
                for account in try connection.lockAccounts() {
                    freed += try connection.removeCachedBlobs(account)
                    if includingInsights { freed += try connection.removeInsights(account) }
                }
                return freed
            }
        }
        if includingInsights { store.vectors.forgetAll() }
        store.sweep?.wake()
        return freed
    }

    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        let store = try store()
        let count = try await store.at(accountID) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                guard let account = try connection.lock(accountID) else { throw .elsewhere }
                let old = try connection.oldEmails(account, before: date, sparing, limit: limit)
                    .map { StorageChange.destroyEmail($0, in: accountID) }
                _ = try Commit.apply(ChangeSet(old), kernel: store.kernel, to: connection)
                return old.count
            }
        }
        guard let count else { throw .notFound("account \(accountID)") }
        return count
    }
}

extension Connection {
    fileprivate func oldEmails(
        _ account: Int, before date: Date, _ sparing: Set<Mailbox.Role>, limit: Int
    ) throws(StorageError) -> [Id<Email>] {
        var spared: [Id<Mailbox>] = []
        for role in sparing { spared += try mailboxes(role, account) }
        return try rows(
            """
            SELECT e.id FROM email e WHERE e.account = $1 AND e.received < $2 AND NOT e.mailboxes && $3
            AND EXISTS (SELECT 1 FROM remote r WHERE r.account = e.account AND r.email = e.id)
            ORDER BY e.received, e.id LIMIT $4
            """, [.integer(account), .date(date), .ids(spared), .integer(max(0, limit))]
        ) { $0.id(0) }
    }

    /// Commits to the account wait until the transaction has ended. Nil if there is no such account.
    func lock(_ id: Id<Account>) throws(StorageError) -> Int? {
        try first("SELECT account FROM account WHERE id = $1 FOR UPDATE", [.id(id)]) { $0.int(0) }
    }

    fileprivate func lockAccounts() throws(StorageError) -> [Int] {
        try rows("SELECT account FROM account ORDER BY id FOR UPDATE") { $0.int(0) }
    }

    /// Returns the number of bytes freed.
    fileprivate func removeCachedBlobs(_ account: Int) throws(StorageError) -> Int {
        try first(
            """
            WITH gone AS (DELETE FROM blob WHERE account = $1 AND cached RETURNING upload, size),
                pieces AS (DELETE FROM blob_chunk WHERE account = $1 AND upload IN (SELECT upload FROM gone))
            SELECT coalesce(sum(size), 0)::bigint FROM gone
            """, [.integer(account)]
        ) { $0.int(0) } ?? 0
    }

    /// What the user has corrected cannot be made again and stays. Returns the number of bytes freed.
    fileprivate func removeInsights(_ account: Int) throws(StorageError) -> Int {
        try run("DELETE FROM insight WHERE account = $1 AND NOT corrected", .integer(account))
        let find = "SELECT insight_bytes FROM account WHERE account = $1"
        let bytes = try first(find, [.integer(account)]) { $0.int(0) } ?? 0
        try run(
            "UPDATE account SET revision = revision + 1, insight_bytes = 0 WHERE account = $1",
            .integer(account))
        return bytes
    }
}
