import FoundationEssentials
import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let needle = Contact.needle(text)
        guard limit > 0 else { return [] }
        return try await store().everywhere { parts, _ throws(StorageError) in
            var best: [[KnownContact]] = []
            for part in parts { best.append(try part.connection.best(needle, limit: limit)) }
            guard parts.count > 1 else { return best.joined().map(\.contact) }
            // An address may be known to servers that have not named it, as less frequent there.
            let emails = Set(best.joined().map(\.contact.email))
            var all: [KnownContact] = []
            for part in parts {
                all += try part.connection.contacts(where: Connection.named, .strings(emails), needle)
            }
            return Array(KnownContact.merged(all).prefix(limit))
        }
    }
}

/// A contact of some accounts.
private struct KnownContact {
    var contact: Contact
    /// When its name was seen last.
    var nameSeen: Double

    /// Those of all accounts, best first.
    static func merged(_ all: [KnownContact]) -> [Contact] {
        var byEmail: [String: KnownContact] = [:]
        for one in all {
            guard var known = byEmail[one.contact.email] else {
                byEmail[one.contact.email] = one
                continue
            }
            known.contact.frequency = max(known.contact.frequency, one.contact.frequency)
            known.contact.lastSeenAt = max(known.contact.lastSeenAt, one.contact.lastSeenAt)
            if one.contact.name != nil, known.contact.name == nil || one.nameSeen > known.nameSeen {
                (known.contact.name, known.nameSeen) = (one.contact.name, one.nameSeen)
            }
            byEmail[one.contact.email] = known
        }
        return byEmail.values.map(\.contact).sorted { one, other in
            (other.frequency, other.lastSeenAt, one.email) < (one.frequency, one.lastSeenAt, other.email)
        }
    }
}

extension Connection {
    fileprivate func best(_ needle: String, limit: Int) throws(StorageError) -> [KnownContact] {
        // While the table is new to the server, it takes an account to have few contacts, and would sort all of them.
        try send("SET LOCAL enable_bitmapscan = off", once: true)
        // Most of what is typed finds enough people among those that are written to most.
        let candidates = needle.isEmpty ? limit : limit + 200
        let frequent = try contacts(where: Self.mostFrequent, .integer(candidates), needle)
        if frequent.count >= limit { return Array(frequent.prefix(limit)) }
        return Array(try contacts(where: Self.possible, .string(needle), needle).prefix(limit))
    }

    /// Those of all accounts with these addresses.
    private static func addresses(_ addresses: String) -> String {
        "FROM account a JOIN contact c ON c.account = a.account WHERE c.email \(addresses)"
    }

    /// The beginnings of words are checked later: this only excludes impossible matches.
    ///
    /// Not `= ANY (ARRAY(…))`, which the server may compare with each row, address by address.
    fileprivate static let possible = addresses(
        "IN (SELECT email FROM contact WHERE position($1 IN folded) > 0)")

    fileprivate static let named = addresses("= ANY ($1)")

    /// Those of each account, because an address counts as often as in the account where it is most frequent.
    fileprivate static let mostFrequent = addresses(
        """
        IN (SELECT m.email FROM account b CROSS JOIN LATERAL (
            SELECT email FROM contact WHERE account = b.account
            ORDER BY frequency DESC FETCH FIRST $1 ROWS WITH TIES) m)
        """)

    /// Contacts of an account that is being moved can be on two servers: those without an account are left out.
    fileprivate func contacts(
        where rows: String, _ value: SQLValue, _ needle: String
    ) throws(StorageError) -> [KnownContact] {
        try self.rows(
            """
            SELECT c.email, max(c.frequency), max(c.last_seen),
                (array_agg(c.name ORDER BY c.name_seen DESC, c.account) FILTER (WHERE c.name IS NOT NULL))[1],
                coalesce(max(c.name_seen), '-infinity'),
                (array_agg(c.folded ORDER BY c.name IS NULL, c.name_seen DESC, c.account))[1]
            \(rows) GROUP BY c.email HAVING bool_or(position($2 IN c.folded) > 0)
            ORDER BY 2 DESC, 3 DESC, c.email
            """, [value, .string(needle)]
        ) { row -> KnownContact? in
            let one = KnownContact(
                contact: Contact(
                    email: row.text(0), name: row.textOrNil(3), frequency: row.int(1), lastSeenAt: row.date(2)
                ),
                nameSeen: row.real(4))
            return one.contact.matches(needle, folded: row.text(5)) ? one : nil
        }.compactMap { $0 }
    }
}
