import MailKernelAPI
import StoreRules

/// Looks for contradictions between the tables, at one moment.
struct StoreCheck {
    private let connection: Connection
    private let stop: StopFlag

    init(_ connection: Connection, _ stop: StopFlag) {
        self.connection = connection
        self.stop = stop
    }

    func findings() throws(StorageError) -> [String] {
        var findings = try indexFindings()
        for contradiction in Contradiction.all {
            try stop.check()
            let count = try connection.first(contradiction.sql, once: true) { $0.int(0) } ?? 0
            if count > 0 { findings.append(contradiction.sentence(count)) }
        }
        findings += try recordFindings()
        var (counts, words) = (0, 0)
        for (account, trash) in try connection.accountsWithTrash() {
            counts += try CountCheck(connection, account, trash: trash, stop).differences()
            words += try differentWords(account)
        }
        if counts > 0 { findings.append(Contradiction.counts.sentence(counts)) }
        if words > 0 { findings.append(Contradiction.words.sentence(words)) }
        return findings
    }

    /// Reads all texts.
    private func differentWords(_ account: Int) throws(StorageError) -> Int {
        var count = 0
        var last: Id<Email>?
        repeat {
            try stop.check()
            let page = try WordPage(of: account, after: last, connection)
            count += try page.differences()
            last = page.last
        } while last != nil
        return count
    }

    private func indexFindings() throws(StorageError) -> [String] {
        let invalid = try connection.invalidIndexes().map {
            "The index “\($0)” is unfinished. “mailkernel storage rebuild-search” removes it."
        }
        var missing: [String] = []
        for line in Schema.creation.split(separator: "\n") where line.hasPrefix("CREATE INDEX ") {
            let name = String(line.split(separator: " ")[2])
            let find = "SELECT to_regclass($1) IS NOT NULL"
            if try connection.first(find, [.text(name)], { $0.flag(0) }) == true { continue }
            missing.append("The index “\(name)” is missing. Create it in the store's schema: \(line)")
        }
        return invalid + missing
    }
}

// MARK: Records

extension StoreCheck {
    private static let page = 1_000

    /// What cannot be read as a record would be missing in the program without a word.
    private func recordFindings() throws(StorageError) -> [String] {
        var unreadable = 0
        for sql in ["SELECT record FROM account", "SELECT record FROM mailbox"] {
            unreadable += try connection.rows(sql) { Self.isReadable($0) ? 0 : 1 }.reduce(0, +)
        }
        var place: (account: Int, type: String, id: String)? = (-1, "", "")
        while let after = place {
            try stop.check()
            place = try connection.rows(
                """
                SELECT record, account, type, id FROM record WHERE (account, type, id) > ($1, $2, $3)
                ORDER BY account, type, id LIMIT $4
                """,
                [.integer(after.account), .string(after.type), .string(after.id), .integer(Self.page)]
            ) { row in
                if !Self.isReadable(row) { unreadable += 1 }
                return (account: row.int(1), type: row.text(2), id: row.text(3))
            }.last
        }
        return unreadable > 0 ? [Contradiction.records.sentence(unreadable)] : []
    }

    private static func isReadable(_ row: Row) -> Bool {
        (try? JSONRecord.decode(JSONValue.self, row.data(0))) != nil
    }
}

extension Connection {
    fileprivate func accountsWithTrash() throws(StorageError) -> [(account: Int, trash: Set<Id<Mailbox>>)] {
        var accounts: [(account: Int, trash: Set<Id<Mailbox>>)] = []
        for account in try rows("SELECT account FROM account ORDER BY id", [], { $0.int(0) }) {
            accounts.append((account, Set(try mailboxes(.trash, account))))
        }
        return accounts
    }
}
