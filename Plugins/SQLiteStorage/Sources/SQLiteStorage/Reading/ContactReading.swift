import FoundationEssentials
import MailKernelAPI

extension SQLiteStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = TextFolding.fold(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        return try await read { database throws(StorageError) in
            var found: [Contact] = []
            guard limit > 0 else { return found }
            // Where words begin is looked at afterwards: this only leaves out what cannot match.
            try database.each(
                """
                SELECT email, name, frequency, last_seen FROM person
                WHERE ?1 = '' OR instr(folded, ?1) ORDER BY frequency DESC, last_seen DESC, email
                """, [.text(needle)]
            ) { row in
                let contact = Contact(
                    email: row.text(0), name: row.textOrNil(1), frequency: row.int(2), lastSeenAt: row.date(3)
                )
                if Self.matches(contact, needle) { found.append(contact) }
                return found.count < limit
            }
            return found
        }
    }

    private static func matches(_ contact: Contact, _ needle: String) -> Bool {
        needle.isEmpty || TextFolding.fold(contact.email).contains(needle)
            || TextFolding.hasWord(beginningWith: needle, in: contact.name ?? "")
    }
}
