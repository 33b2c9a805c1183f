import MailKernelAPI
import StoreRules

extension AccountCommit {
    func put(_ mailbox: Mailbox) throws(StorageError) {
        try checkAncestors(of: mailbox)
        try remember(mailbox.id)
        let values: [SQLValue] = [
            .text(mailbox.name), .optional(mailbox.parentID?.rawValue), .optional(mailbox.role?.rawValue),
            .integer(mailbox.sortOrder), .flag(mailbox.isSubscribed), .integer(mailbox.rights.rawValue),
            .integer(row), .id(mailbox.id),
        ]
        if try mailboxRow(mailbox.id) != nil {
            try database.each(
                """
                UPDATE mailbox SET name = ?, parent = ?, role = ?, sort_order = ?, subscribed = ?, rights = ?
                WHERE account = ? AND id = ?
                """, values
            ) { _ in true }
        } else {
            try database.each(
                """
                INSERT INTO mailbox (name, parent, role, sort_order, subscribed, rights, account, id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, values
            ) { _ in true }
            mailboxRows[mailbox.id] = database.lastInsertID
        }
    }

    private func checkAncestors(of mailbox: Mailbox) throws(StorageError) {
        var ancestor = mailbox.parentID
        while let id = ancestor {
            guard id != mailbox.id else { throw .invalid(reason: "a mailbox below itself") }
            guard let row = try mailboxRow(id) else { throw .notFound("mailbox \(id)") }
            ancestor = try database.text("SELECT parent FROM mailbox WHERE row = ?", .integer(row))
                .map { Id($0) }
        }
    }

    func destroyMailbox(_ id: Id<Mailbox>) throws(StorageError) {
        guard let mailbox = try mailboxRow(id) else { throw .notFound("mailbox \(id)") }
        let child = try database.integer(
            "SELECT 1 FROM mailbox WHERE account = ? AND parent = ? LIMIT 1", .integer(row), .id(id))
        guard child == nil else { throw .invalid(reason: "a mailbox with children cannot be destroyed") }
        try remember(id)
        let emails = try database.rows(
            """
            SELECT e.id FROM email_mailbox m JOIN email e ON e.row = m.email WHERE m.mailbox = ?
            """, [.integer(mailbox)]
        ) { $0.id(0) as Id<Email> }
        for email in emails { try take(email, outOf: mailbox) }
        try database.run("DELETE FROM mailbox WHERE row = ?", .integer(mailbox))
        mailboxRows[id] = nil
    }

    private func take(_ id: Id<Email>, outOf mailbox: Int64) throws(StorageError) {
        let email = try existing(id)
        try touchThread(email.threadID)
        try database.run(
            "DELETE FROM email_mailbox WHERE email = ? AND mailbox = ?", .integer(email.row),
            .integer(mailbox))
        let other = try database.integer(
            "SELECT 1 FROM email_mailbox WHERE email = ? LIMIT 1", .integer(email.row))
        if other == nil { try remove(email) }
    }

    func mailboxRow(_ id: Id<Mailbox>) throws(StorageError) -> Int64? {
        if let known = mailboxRows[id] { return known }
        let found = try database.mailboxRow(id, account: row)
        mailboxRows[id] = found
        return found
    }

    /// Notes what a mailbox is before the first change of it.
    func remember(_ id: Id<Mailbox>) throws(StorageError) {
        guard formerMailboxes[id] == nil else { return }
        formerMailboxes[id] = .some(try database.mailbox(id, in: self.id, row))
    }

    func mailboxDifferences() throws(StorageError) -> [ChangeLog.Difference] {
        var differences: [ChangeLog.Difference] = []
        for (id, former) in formerMailboxes.sorted(by: { $0.key < $1.key }) {
            let now = try database.mailbox(id, in: self.id, row)
            guard former != now, let kind = ChangeLog.Kind(wasThere: former != nil, isThere: now != nil)
            else { continue }
            let onlyCounts = kind == .updated && former?.mailbox == now?.mailbox
            differences.append(
                .init(type: .mailbox, id: id.rawValue, kind: kind, onlyCounts: onlyCounts))
        }
        return differences
    }
}
