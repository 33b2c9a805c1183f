import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Counts the emails of an account again, thread by thread.
struct CountCheck {
    private static let page = 2_000

    private let connection: Connection
    private let account: Int
    private let trash: Set<Id<Mailbox>>
    private let stop: StopFlag

    init(_ connection: Connection, _ account: Int, trash: Set<Id<Mailbox>>, _ stop: StopFlag) {
        self.connection = connection
        self.account = account
        self.trash = trash
        self.stop = stop
    }

    /// The number of mailboxes whose counts are wrong.
    func differences() throws(StorageError) -> Int {
        let counts = try count()
        return try connection.rows(
            """
            SELECT id, total_emails, unread_emails, total_threads, unread_threads FROM mailbox WHERE account = $1
            """, [.integer(account)]
        ) { $0.counts(from: 1) == counts[$0.id(0)] ?? MailboxCounts() ? 0 : 1 }.reduce(0, +)
    }

    private func count() throws(StorageError) -> [Id<Mailbox>: MailboxCounts] {
        var sums = Sums(trash: trash)
        var place: Place? = Place(thread: "", received: -.infinity, id: "")
        while let after = place {
            try stop.check()
            place = try connection.rows(
                """
                SELECT thread, received, id, mailboxes, keywords FROM email
                WHERE account = $1 AND (thread, received, id) > ($2, $3, $4) ORDER BY thread, received, id LIMIT $5
                """,
                [
                    .integer(account), .string(after.thread), .real(after.received), .string(after.id),
                    .integer(Self.page),
                ]
            ) { row in
                sums.add(row)
                return Place(thread: row.text(0), received: row.real(1), id: row.text(2))
            }.last
        }
        sums.finishThread()
        return sums.counts
    }

    private struct Place {
        var thread: String
        var received: Double
        var id: String
    }

    /// Adds up threads, whose emails come one after the other.
    private struct Sums {
        let trash: Set<Id<Mailbox>>
        private(set) var counts: [Id<Mailbox>: MailboxCounts] = [:]
        private var thread = ""
        private var contents = ThreadContents<Id<Mailbox>>()

        init(trash: Set<Id<Mailbox>>) {
            self.trash = trash
        }

        mutating func add(_ row: Row) {
            if row.text(0) != thread {
                finishThread()
                thread = row.text(0)
            }
            let keywords = row.texts(4)
            contents.members.append(
                .init(
                    email: row.id(2),
                    isUnread: !keywords.contains(Keyword.seen.rawValue)
                        && !keywords.contains(Keyword.draft.rawValue),
                    mailboxes: row.texts(3).map { Id($0) }))
        }

        mutating func finishThread() {
            for (id, count) in contents.counts(trash: trash) {
                counts[id, default: MailboxCounts()].add(count, times: 1)
            }
            contents = ThreadContents()
        }
    }
}
