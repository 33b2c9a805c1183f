import MailKernelAPI

extension PostgreSQLStorage {
    /// In small steps, between which commits go on. What an interrupted one left is done by the next.
    func rebuildSearchIndex() async throws(StorageError) {
        let store = try store()
        for account in try await accounts() {
            var last: Id<Email>?
            repeat {
                let after = last
                last =
                    try await locked(account.id) { connection, number throws(StorageError) in
                        let page = try WordPage(of: number, after: after, connection)
                        try page.write()
                        return page.last
                    } ?? nil
            } while last != nil
            try await locked(account.id) { connection, number throws(StorageError) in
                try connection.addUp(number)
            }
        }
        for server in store.servers {
            try await patiently(at: server) { lane, _ throws(StorageError) in
                try lane.plain { connection throws(StorageError) in try connection.rebuildIndex() }
            }
        }
    }

    /// Commits to the account wait meanwhile. Nil if there is no such account.
    @discardableResult
    private func locked<Answer: Sendable>(
        _ id: Id<Account>, _ body: @escaping @Sendable (Connection, Int) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer? {
        try await store().at(id) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                guard let number = try connection.lock(id) else { throw .elsewhere }
                return try body(connection, number)
            }
        }
    }
}

extension Connection {
    /// Adds up again what commits keep sums of.
    fileprivate func addUp(_ account: Int) throws(StorageError) {
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
        let name = Schema.wordIndex
        let find = "SELECT coalesce(pg_get_indexdef(to_regclass($1)) LIKE '%ARRAY[%', false)"
        if try first(find, [.text(name)], once: true, { $0.flag(0) }) == true {
            return try execute("REINDEX INDEX CONCURRENTLY \(name)")
        }
        // There is none, or that of an earlier version, which needs the extension btree_gin.
        try execute("DROP INDEX IF EXISTS \(name)_new")
        try execute("CREATE INDEX CONCURRENTLY \(name)_new ON email \(Schema.wordIndexColumns)")
        try execute("DROP INDEX IF EXISTS \(name); ALTER INDEX \(name)_new RENAME TO \(name)")
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
