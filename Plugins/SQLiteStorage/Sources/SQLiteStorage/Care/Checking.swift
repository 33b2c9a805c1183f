import MailKernelAPI
import StoreRules

extension Database {
    /// Looks through everything. Damaged indexes are rebuilt; other damage is `.corrupt`.
    func expectSound() throws(StorageError) {
        _ = try mendIndexes()
        if let finding = try damage().first { throw .corrupt(reason: finding) }
    }

    private func damage() throws(StorageError) -> [String] {
        let integrity = try rows("PRAGMA integrity_check(20)") { $0.text(0) }
        guard integrity == ["ok"] else { return integrity.map { "The database is damaged: \($0)." } }
        for table in ["account", "identity", "submission", "document"] {
            let unreadable = "SELECT 1 FROM \(table) WHERE NOT json_valid(CAST(record AS TEXT)) LIMIT 1"
            if try integer(unreadable) != nil { return ["A record of the type “\(table)” cannot be read."] }
        }
        return []
    }

    func findings() throws(StorageError) -> [String] {
        var findings = try damage()
        guard findings.isEmpty else { return findings }
        let accounts = try rows("SELECT row, id FROM account") { ($0.int64(0), $0.id(1) as Id<Account>) }
        for account in accounts {
            let counts = try countAll(account: account.0, trash: try trash(of: account.0))
            for mailbox in try mailboxes(in: account.1, account.0) {
                let row = try mailboxRow(mailbox.mailbox.id, account: account.0) ?? 0
                if mailbox.counts != counts[row] ?? MailboxCounts() {
                    findings.append("The counts of a mailbox do not match its emails.")
                }
            }
        }
        for (sentence, sql) in Self.contradictions where try integer(sql) != 0 { findings.append(sentence) }
        return findings
    }

    private static let contradictions = [
        (
            "A thread contains no email.",
            "SELECT count(*) FROM thread t WHERE NOT EXISTS (SELECT 1 FROM email e WHERE e.thread = t.row)"
        ),
        (
            "An email is in a thread that does not exist.",
            "SELECT count(*) FROM email e WHERE NOT EXISTS (SELECT 1 FROM thread t WHERE t.row = e.thread)"
        ),
        (
            "An email has no body.",
            "SELECT count(*) FROM email e WHERE NOT EXISTS (SELECT 1 FROM email_body b WHERE b.email = e.row)"
        ),
        (
            "An email is in a mailbox that does not exist.",
            """
            SELECT count(*) FROM email_mailbox m WHERE NOT EXISTS
            (SELECT 1 FROM mailbox b WHERE b.row = m.mailbox)
            """
        ),
        (
            "Data of a deleted email was left behind.",
            """
            SELECT (SELECT count(*) FROM email_mailbox WHERE email NOT IN (SELECT row FROM email))
                + (SELECT count(*) FROM email_keyword WHERE email NOT IN (SELECT row FROM email))
                + (SELECT count(*) FROM email_body WHERE email NOT IN (SELECT row FROM email))
            """
        ),
    ]

    func indexFindings() throws(StorageError) -> [String] {
        var findings: [String] = []
        for account in try accountRows() where try !isIndexSound(account: account) {
            findings.append("The search index of an account is damaged and can be rebuilt.")
        }
        return findings
    }
}
