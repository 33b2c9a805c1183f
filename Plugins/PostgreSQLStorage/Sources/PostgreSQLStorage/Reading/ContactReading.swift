import FoundationEssentials
import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = Contact.needle(text)
        return try await read { connection throws(StorageError) in
            guard limit > 0 else { return [] }
            // Most of what is typed finds enough people among those that are written to most.
            let frequent = try connection.contacts(
                where: Connection.mostFrequent, .integer(limit + 200), needle)
            if frequent.count >= limit { return Array(frequent.prefix(limit)) }
            return Array(
                try connection.contacts(where: Connection.possible, .string(needle), needle).prefix(limit))
        }
    }
}

extension Connection {
    /// The beginnings of words are checked later: this only excludes impossible matches.
    fileprivate static let possible = """
        FROM contact c WHERE c.email IN (SELECT email FROM contact WHERE position($1 IN folded) > 0)
        """

    /// Those of each account, because an address counts as often as in the account where it is most frequent.
    fileprivate static let mostFrequent = """
        FROM account a JOIN contact c ON c.account = a.account WHERE c.email = ANY (ARRAY(
            SELECT m.email FROM account b CROSS JOIN LATERAL (
                SELECT email FROM contact WHERE account = b.account
                ORDER BY frequency DESC FETCH FIRST $1 ROWS WITH TIES) m))
        """

    fileprivate func contacts(
        where rows: String, _ value: SQLValue, _ needle: String
    ) throws(StorageError) -> [Contact] {
        try self.rows(
            """
            SELECT c.email, max(c.frequency), max(c.last_seen),
                (array_agg(c.name ORDER BY c.name_seen DESC, c.account) FILTER (WHERE c.name IS NOT NULL))[1]
            \(rows) GROUP BY c.email ORDER BY 2 DESC, 3 DESC, c.email
            """, [value]
        ) {
            Contact(email: $0.text(0), name: $0.textOrNil(3), frequency: $0.int(1), lastSeenAt: $0.date(2))
        }.filter { $0.matches(needle, folded: Contact.folded(email: $0.email, name: $0.name)) }
    }
}
