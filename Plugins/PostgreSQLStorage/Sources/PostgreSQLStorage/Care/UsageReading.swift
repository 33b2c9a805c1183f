import MailKernelAPI

extension PostgreSQLStorage: StorageCare {
    /// From sums that commits keep: only the blobs are added up, from an index.
    func usage() async throws(StorageError) -> StorageUsage {
        try await store().everywhere { parts, _ throws(StorageError) in
            var all = StorageUsage(accounts: [], total: 0, clearable: 0)
            for part in parts {
                let one = try part.connection.usage()
                all.accounts += one.accounts
                all.total += one.total
                all.clearable += one.clearable
            }
            all.accounts.sort { $0.accountID < $1.accountID }
            return all
        }
    }
}

extension Connection {
    /// Of the accounts of one server.
    fileprivate func usage() throws(StorageError) -> StorageUsage {
        let rows = try self.rows(
            """
            SELECT a.id, a.mail_bytes + a.insight_bytes + a.corrected_bytes, coalesce(b.size, 0), a.index_bytes,
                a.insight_bytes + coalesce(b.cached, 0)
            FROM account a LEFT JOIN (
                SELECT account, sum(size)::bigint AS size, sum(size) FILTER (WHERE cached)::bigint AS cached
                FROM blob GROUP BY account) b ON b.account = a.account
            ORDER BY a.id
            """
        ) { row in
            let account = StorageUsage.PerAccount(
                accountID: row.id(0), mail: row.int(1), attachments: row.int(2), searchIndex: row.int(3))
            return (account: account, clearable: row.int(4))
        }
        let accounts = rows.map(\.account)
        let sizes = Schema.tables.map { "pg_total_relation_size('\($0)')" }.joined(separator: " + ")
        let tables = try first("SELECT \(sizes)") { $0.int(0) } ?? 0
        // What accounts take is reckoned, the tables are measured: a small store can be the other way.
        return StorageUsage(
            accounts: accounts, total: max(tables, accounts.reduce(0) { $0 + $1.total }),
            clearable: rows.reduce(0) { $0 + $1.clearable })
    }
}
