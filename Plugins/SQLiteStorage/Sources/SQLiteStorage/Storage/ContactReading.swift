import FoundationEssentials
import MailKernelAPI
import StoreRules

extension SQLiteStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = Contact.needle(text)
        return try await read { database throws(StorageError) in
            var found: [Contact] = []
            guard limit > 0 else { return found }
            // The beginnings of words are checked afterwards: this only excludes impossible matches.
            try database.each(
                """
                SELECT email, name, frequency, last_seen, folded FROM person
                WHERE ?1 = '' OR instr(folded, ?1) ORDER BY frequency DESC, last_seen DESC, email
                """, [.text(needle)]
            ) { row in
                let contact = Contact(
                    email: row.text(0), name: row.textOrNil(1), frequency: row.int(2), lastSeenAt: row.date(3)
                )
                if contact.matches(needle, folded: row.text(4)) { found.append(contact) }
                return found.count < limit
            }
            return found
        }
    }
}
