import MailKernelAPI

extension PostgreSQLStorage {
    /// In small steps, between which commits go on. What an interrupted one left is done by the next.
    func rebuildSearchIndex() async throws(StorageError) {
        let store = try store()
        for account in try await accounts() {
            var last: Id<Email>?
            repeat {
                let after = last
                last = try await store.write { connection throws(StorageError) -> Id<Email>? in
                    guard let number = try connection.lock(account.id) else { return nil }
                    let page = try WordPage(of: number, after: after, connection)
                    try page.write()
                    return page.last
                }
            } while last != nil
            try await store.write { connection throws(StorageError) in try connection.addUp(account.id) }
        }
        try await patiently { lane, _ throws(StorageError) in
            try lane.plain { connection throws(StorageError) in try connection.rebuildIndex() }
        }
    }
}

extension Connection {
    /// Adds up again what commits keep sums of.
    fileprivate func addUp(_ id: Id<Account>) throws(StorageError) {
        guard let account = try lock(id) else { return }
        try run(
            """
            UPDATE account SET revision = revision + 1, (mail_bytes, index_bytes) = (
                SELECT coalesce(sum(mail_bytes), 0), coalesce(sum(index_bytes), 0) FROM email WHERE account = $1),
                (insight_bytes, corrected_bytes) = (
                SELECT coalesce(sum(bytes) FILTER (WHERE NOT corrected), 0), coalesce(sum(bytes) FILTER (WHERE corrected), 0)
                FROM insight WHERE account = $1)
            WHERE account = $1
            """, .integer(account))
    }

    /// Searches use the old index meanwhile.
    fileprivate func rebuildIndex() throws(StorageError) {
        for name in try invalidIndexes() { try execute("DROP INDEX \(name)") }
        try execute("REINDEX INDEX CONCURRENTLY email_terms")
    }

    /// Those that were being built when the server or this program ended. Their names can be a part of a statement.
    func invalidIndexes() throws(StorageError) -> [String] {
        try rows(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
            WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid ORDER BY 1
            """, once: true
        ) { $0.text(0) }
    }
}
