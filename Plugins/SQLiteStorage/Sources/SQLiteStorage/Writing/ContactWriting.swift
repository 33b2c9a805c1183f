import FoundationEssentials
import MailKernelAPI
import StoreRules

extension AccountCommit {
    private static let contactLimit = 10_000

    func count(_ sightings: [ContactSighting]) throws(StorageError) {
        let contacts = SeenContact.all(in: sightings)
        for (email, contact) in contacts { try count(contact, email) }
        for email in try evictContacts() + contacts.keys { try database.refreshPerson(email) }
    }

    private func count(_ contact: SeenContact, _ email: String) throws(StorageError) {
        try database.run(
            """
            INSERT INTO contact VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE
            SET frequency = frequency + ?5, last_seen = max(last_seen, ?6),
                name = iif(?4 >= ifnull(name_seen, ?4), ?3, name),
                name_seen = iif(?4 >= ifnull(name_seen, ?4), ?4, name_seen)
            """, .integer(row), .text(email), .optional(contact.name),
            contact.nameSeen.map { .date($0) } ?? .null, .integer(contact.count), .date(contact.lastSeen))
    }

    /// Returns the addresses that went.
    private func evictContacts() throws(StorageError) -> [String] {
        let count = try database.integer("SELECT count(*) FROM contact WHERE account = ?", .integer(row))
        let surplus = Int(count ?? 0) - Self.contactLimit
        guard surplus > 0 else { return [] }
        return try database.rows(
            """
            DELETE FROM contact WHERE account = ?1 AND email IN (
                SELECT email FROM contact WHERE account = ?1 ORDER BY frequency, last_seen, email LIMIT ?2)
            RETURNING email
            """, [.integer(row), .integer(surplus)]
        ) { $0.text(0) }
    }
}

extension Database {
    /// Merges an address over all accounts: the highest count, the name and the time seen last.
    func refreshPerson(_ email: String) throws(StorageError) {
        let merged = try first(
            """
            SELECT max(frequency), max(last_seen), (SELECT name FROM contact WHERE email = ?1
                AND name IS NOT NULL ORDER BY name_seen DESC, account LIMIT 1)
            FROM contact WHERE email = ?1
            """, [.text(email)]
        ) { $0.isNull(0) ? nil : (frequency: $0.int(0), lastSeen: $0.date(1), name: $0.textOrNil(2)) }
        guard let merged = merged ?? nil else {
            return try run("DELETE FROM person WHERE email = ?", .text(email))
        }
        let folded = Contact.folded(email: email, name: merged.name)
        try run(
            "INSERT OR REPLACE INTO person VALUES (?, ?, ?, ?, ?)", .text(email), .optional(merged.name),
            .integer(merged.frequency), .date(merged.lastSeen), .text(folded))
    }
}
