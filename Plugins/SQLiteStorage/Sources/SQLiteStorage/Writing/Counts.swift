import MailKernelAPI
import StoreRules

extension AccountCommit {
    /// Notes what a thread is before the first change of it, and that it has to be read again after this one.
    func touchThread(_ id: Id<EmailThread>) throws(StorageError) {
        currentThreads[id] = nil
        guard threads[id] == nil else { return }
        threads[id] = try present(id)
    }

    /// The same before an update of one of its emails, after which `currentThreads` knows what it is.
    func touchThread(_ id: Id<EmailThread>, row: Int64) throws(StorageError) {
        guard threads[id] == nil else { return }
        let contents = try ThreadContents(row, in: database)
        (threads[id], currentThreads[id]) = (contents, contents)
    }

    /// Compares touched threads with their previous versions, and updates the counts of mailboxes
    /// accordingly.
    func finishThreads() throws(StorageError) -> [ChangeLog.Difference] {
        let trash = formerMailboxes.isEmpty ? formerTrash : try database.trash(of: row)
        var differences: [ChangeLog.Difference] = []
        var moves: [Int64: MailboxCounts] = [:]
        for (id, former) in threads.sorted(by: { $0.key < $1.key }) {
            let now = if let known = currentThreads[id] { known } else { try present(id) }
            if let difference = Self.difference(id, former, now) { differences.append(difference) }
            for (mailbox, count) in former.counts(trash: formerTrash) {
                moves[mailbox, default: MailboxCounts()].add(count, times: -1)
            }
            for (mailbox, count) in now.counts(trash: trash) {
                moves[mailbox, default: MailboxCounts()].add(count, times: 1)
            }
        }
        if trash != formerTrash {
            try recount(trash: trash)
        } else {
            for (mailbox, move) in moves where move != MailboxCounts() { try add(move, to: mailbox) }
        }
        return differences
    }

    private func present(_ id: Id<EmailThread>) throws(StorageError) -> ThreadContents {
        guard let thread = try database.threadRow(id, account: row) else { return ThreadContents() }
        return try ThreadContents(thread, in: database)
    }

    private static func difference(
        _ id: Id<EmailThread>, _ former: ThreadContents, _ now: ThreadContents
    ) -> ChangeLog.Difference? {
        let (before, after) = (former.members.map(\.email), now.members.map(\.email))
        guard before != after,
            let kind = ChangeLog.Kind(wasThere: !before.isEmpty, isThere: !after.isEmpty)
        else { return nil }
        return .init(type: .thread, id: id.rawValue, kind: kind)
    }

    private func add(_ move: MailboxCounts, to mailbox: Int64) throws(StorageError) {
        let id = try database.text("SELECT id FROM mailbox WHERE row = ?", .integer(mailbox))
        // Gone in this very commit, its counts with it.
        guard let id else { return }
        try remember(Id(id))
        try database.run(
            """
            UPDATE mailbox SET total_emails = total_emails + ?, unread_emails = unread_emails + ?,
                total_threads = total_threads + ?, unread_threads = unread_threads + ? WHERE row = ?
            """, .integer(move.totalEmails), .integer(move.unreadEmails), .integer(move.totalThreads),
            .integer(move.unreadThreads), .integer(mailbox))
    }

    /// All counts from the beginning: another mailbox is the trash now.
    private func recount(trash: Set<Int64>) throws(StorageError) {
        for mailbox in try database.mailboxes(in: id, row) { try remember(mailbox.mailbox.id) }
        let counts = try database.countAll(account: row, trash: trash)
        try database.run(
            """
            UPDATE mailbox SET total_emails = 0, unread_emails = 0, total_threads = 0, unread_threads = 0
            WHERE account = ?
            """, .integer(row))
        for (mailbox, count) in counts { try add(count, to: mailbox) }
    }
}

extension Database {
    /// What the counts of an account's mailboxes have to be.
    func countAll(account: Int64, trash: Set<Int64>) throws(StorageError) -> [Int64: MailboxCounts] {
        var counts: [Int64: MailboxCounts] = [:]
        var thread: Int64?
        var contents = ThreadContents()
        func finishThread() {
            for (mailbox, count) in contents.counts(trash: trash) {
                counts[mailbox, default: MailboxCounts()].add(count, times: 1)
            }
            contents = ThreadContents()
        }
        try each(
            """
            SELECT e.thread, e.id, e.unread, m.mailbox FROM email e
            JOIN email_mailbox m ON m.email = e.row WHERE e.account = ? ORDER BY e.thread, e.row
            """, [.integer(account)]
        ) { row in
            if thread != row.int64(0) { finishThread() }
            thread = row.int64(0)
            contents.add(row.id(1), isUnread: row.flag(2), mailbox: row.int64(3))
            return true
        }
        finishThread()
        return counts
    }
}
