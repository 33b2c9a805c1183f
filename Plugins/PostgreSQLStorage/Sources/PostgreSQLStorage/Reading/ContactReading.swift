import FoundationEssentials
import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = Contact.needle(text)
        return try await read { connection throws(StorageError) in
            guard limit > 0 else { return [] }
            // The beginnings of words are checked below: this only excludes impossible matches.
            let people = try connection.rows(
                """
                SELECT email, max(frequency), max(last_seen),
                    (array_agg(name ORDER BY name_seen DESC, account) FILTER (WHERE name IS NOT NULL))[1]
                FROM contact WHERE $1 = '' OR email IN (SELECT email FROM contact WHERE position($1 IN folded) > 0)
                GROUP BY email ORDER BY 2 DESC, 3 DESC, email
                """, [.string(needle)]
            ) {
                Contact(
                    email: $0.text(0), name: $0.textOrNil(3), frequency: $0.int(1), lastSeenAt: $0.date(2))
            }
            return Array(
                people.lazy.filter {
                    $0.matches(needle, folded: Contact.folded(email: $0.email, name: $0.name))
                }.prefix(limit))
        }
    }
}
