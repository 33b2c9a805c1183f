import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A mailbox as a commit sees it.
struct MailboxState: Equatable {
    var record: Data
    var parent: Id<Mailbox>?
    var role: String
    var sortOrder: Int
    var counts = MailboxCounts()

    var isTrash: Bool { role == Mailbox.Role.trash.rawValue }
}

/// The mailboxes of an account, as they were and as they become.
struct MailboxImage {
    private let former: [Id<Mailbox>: MailboxState]
    private var mailboxes: [Id<Mailbox>: MailboxState]

    static func ask(_ connection: Connection, _ account: Int) throws(StorageError) -> Question {
        try connection.ask(
            """
            SELECT id, record, parent, role, sort_order, total_emails, unread_emails, total_threads, unread_threads
            FROM mailbox WHERE account = $1
            """, [.integer(account)])
    }

    init(_ connection: Connection, _ asked: Question) throws(StorageError) {
        let rows = try connection.rows(asked) { row in
            let state = MailboxState(
                record: row.data(1), parent: row.textOrNil(2).map { Id($0) }, role: row.text(3),
                sortOrder: row.int(4), counts: row.counts(from: 5))
            return (row.id(0) as Id<Mailbox>, state)
        }
        former = Dictionary(rows) { first, _ in first }
        mailboxes = former
    }

    func isThere(_ id: Id<Mailbox>) -> Bool { mailboxes[id] != nil }

    mutating func put(_ mailbox: Mailbox) throws(StorageError) {
        var ancestor = mailbox.parentID
        while let id = ancestor {
            guard id != mailbox.id else { throw .invalid(reason: "a mailbox below itself") }
            guard let parent = mailboxes[id] else { throw .notFound("mailbox \(id)") }
            ancestor = parent.parent
        }
        mailboxes[mailbox.id] = MailboxState(
            record: try JSONRecord.encode(mailbox), parent: mailbox.parentID,
            role: mailbox.role?.rawValue ?? "", sortOrder: mailbox.sortOrder,
            counts: mailboxes[mailbox.id]?.counts ?? MailboxCounts())
    }

    func checkCanGo(_ id: Id<Mailbox>) throws(StorageError) {
        guard isThere(id) else { throw .notFound("mailbox \(id)") }
        guard !mailboxes.values.contains(where: { $0.parent == id }) else {
            throw .invalid(reason: "a mailbox with children cannot be destroyed")
        }
    }

    mutating func remove(_ id: Id<Mailbox>) { mailboxes[id] = nil }

    /// Brings the counts up to date. They are sums over threads, so a change of some threads costs what these threads
    /// cost, unless another mailbox is the trash now.
    mutating func count(_ mail: MailImage) throws(StorageError) {
        let (before, after) = (Self.trash(former), Self.trash(mailboxes))
        if before != after {
            try mail.loadAll()
            for id in mailboxes.keys { mailboxes[id]?.counts = MailboxCounts() }
        } else {
            for ids in Dictionary(grouping: mail.former.keys, by: { mail.former[$0]?.thread }).values {
                add(MailImage.contents(ids, of: mail.former).counts(trash: before), times: -1)
            }
        }
        for ids in mail.threads.values {
            add(MailImage.contents(ids, of: mail.emails).counts(trash: after), times: 1)
        }
    }

    private static func trash(_ mailboxes: [Id<Mailbox>: MailboxState]) -> Set<Id<Mailbox>> {
        Set(mailboxes.filter(\.value.isTrash).keys)
    }

    private mutating func add(_ counts: [Id<Mailbox>: MailboxCounts], times factor: Int) {
        for (id, count) in counts { mailboxes[id]?.counts.add(count, times: factor) }
    }

    func differences() -> [RecordChange] {
        Set(former.keys).union(mailboxes.keys).sorted().compactMap { id in
            let (old, new) = (former[id], mailboxes[id])
            guard old != new, let kind = RecordChange.Kind(wasThere: old != nil, isThere: new != nil) else {
                return nil
            }
            let onlyCounts = kind == .updated && old?.record == new?.record
            return RecordChange(type: .mailbox, id: id.rawValue, kind: kind, onlyCounts: onlyCounts)
        }
    }

    func write(_ connection: Connection, _ account: Int) throws(StorageError) {
        for (id, state) in mailboxes where former[id] != state {
            try connection.send(
                """
                INSERT INTO mailbox VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                ON CONFLICT (account, id) DO UPDATE SET record = excluded.record, parent = excluded.parent,
                    role = excluded.role, sort_order = excluded.sort_order, total_emails = excluded.total_emails,
                    unread_emails = excluded.unread_emails, total_threads = excluded.total_threads,
                    unread_threads = excluded.unread_threads
                """, .integer(account), .id(id), .data(state.record), .string(state.parent?.rawValue),
                .text(state.role), .integer(state.sortOrder), .integer(state.counts.totalEmails),
                .integer(state.counts.unreadEmails), .integer(state.counts.totalThreads),
                .integer(state.counts.unreadThreads))
        }
        for id in former.keys where mailboxes[id] == nil {
            try connection.send(
                "DELETE FROM mailbox WHERE account = $1 AND id = $2", .integer(account), .id(id))
        }
    }
}
