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
        // Most of what is typed finds enough people among those that are written to most.
        let frequent = try contacts(where: Self.mostFrequent, .integer(limit + 200), needle)
        if frequent.count >= limit { return Array(frequent.prefix(limit)) }
        return Array(try contacts(where: Self.possible, .string(needle), needle).prefix(limit))
    }

    /// The beginnings of words are checked later: this only excludes impossible matches.
    fileprivate static let possible = """
        FROM contact c WHERE \(isHere) c.email IN (SELECT email FROM contact WHERE position($1 IN folded) > 0)
        """

    fileprivate static let named = "FROM contact c WHERE \(isHere) c.email = ANY ($1)"

    /// Contacts of an account that is being moved can be on two servers.
    private static let isHere = "EXISTS (SELECT 1 FROM account a WHERE a.account = c.account) AND"

    /// Those of each account, because an address counts as often as in the account where it is most frequent.
    fileprivate static let mostFrequent = """
        FROM account a JOIN contact c ON c.account = a.account WHERE c.email = ANY (ARRAY(
            SELECT m.email FROM account b CROSS JOIN LATERAL (
                SELECT email FROM contact WHERE account = b.account
                ORDER BY frequency DESC FETCH FIRST $1 ROWS WITH TIES) m))
        """

    fileprivate func contacts(
        where rows: String, _ value: SQLValue, _ needle: String
    ) throws(StorageError) -> [KnownContact] {
        try self.rows(
            """
            SELECT c.email, max(c.frequency), max(c.last_seen),
                (array_agg(c.name ORDER BY c.name_seen DESC, c.account) FILTER (WHERE c.name IS NOT NULL))[1],
                coalesce(max(c.name_seen), '-infinity')
            \(rows) GROUP BY c.email ORDER BY 2 DESC, 3 DESC, c.email
            """, [value]
        ) {
            KnownContact(
                contact: Contact(
                    email: $0.text(0), name: $0.textOrNil(3), frequency: $0.int(1), lastSeenAt: $0.date(2)),
                nameSeen: $0.real(4))
        }.filter { one in
            one.contact.matches(
                needle, folded: Contact.folded(email: one.contact.email, name: one.contact.name))
        }
    }
}
