import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Updates of keywords and mailboxes. A large action is tens of thousands of them, so each reads and writes only the
/// rows that it is about, and what it has led to is kept in memory until the end of the commit.
extension AccountCommit {
    /// What an update needs of an email's row.
    private struct Updated {
        var place: EmailPlace
        var received: Date
        var isUnread: Bool
    }

    func update(_ update: EmailUpdate) throws(StorageError) {
        guard let email = try updated(update.id) else { throw .notFound("email \(update.id)") }
        let place = email.place
        var marks = try currentMarks(of: place)
        _ = try mailboxRows(of: update.addMailboxes, allowingNone: true)
        try touchThread(place.threadID, row: place.thread)
        try move(email, update, &marks)
        guard !marks.mailboxes.isEmpty else { throw .invalid(reason: "an email in no mailbox") }
        try mark(email, update, &marks)
        emails[place.id]?.now = marks
    }

    private func updated(_ id: Id<Email>) throws(StorageError) -> Updated? {
        try database.first(
            """
            SELECT e.row, e.thread, t.id, e.received, e.unread FROM email e JOIN thread t ON t.row = e.thread
            WHERE e.account = ? AND e.id = ?
            """, [.integer(row), .id(id)]
        ) {
            Updated(
                place: EmailPlace(id: id, row: $0.int64(0), thread: $0.int64(1), threadID: $0.id(2)),
                received: $0.date(3), isUnread: $0.flag(4))
        }
    }

    private func move(
        _ email: Updated, _ update: EmailUpdate, _ marks: inout EmailTouch.Marks
    ) throws(StorageError) {
        let row = email.place.row
        for id in update.removeMailboxes.subtracting(update.addMailboxes) {
            guard marks.mailboxes.contains(id), let mailbox = try mailboxRow(id) else { continue }
            try database.run(
                "DELETE FROM email_mailbox WHERE email = ? AND mailbox = ?", .integer(row), .integer(mailbox))
            marks.mailboxes.remove(id)
            change(email.place) { member in member.mailboxes.removeAll { $0 == mailbox } }
        }
        let added = update.addMailboxes.subtracting(marks.mailboxes)
        guard !added.isEmpty else { return }
        for id in added {
            guard let mailbox = try mailboxRow(id) else { throw .notFound("mailbox \(id)") }
            try link(row, mailbox, email.received)
            change(email.place) { $0.mailboxes.append(mailbox) }
        }
        marks.mailboxes.formUnion(added)
    }

    private func mark(
        _ email: Updated, _ update: EmailUpdate, _ marks: inout EmailTouch.Marks
    ) throws(StorageError) {
        let row = email.place.row
        let removed = update.removeKeywords.subtracting(update.addKeywords)
        let added = update.addKeywords.filter { keyword in !marks.keywords.contains { $0.isExactly(keyword) }
        }
        guard !added.isEmpty || marks.keywords.contains(where: removed.contains) else { return }
        for keyword in removed {
            try database.run(
                "DELETE FROM email_keyword WHERE email = ? AND keyword = ?", .integer(row),
                .text(keyword.rawValue))
        }
        for keyword in added { try link(row, keyword) }
        marks.keywords = try database.marks(ofEmail: row).keywords
        let isUnread = Self.isUnread(marks.keywords)
        guard isUnread != email.isUnread else { return }
        try database.run("UPDATE email SET unread = ? WHERE row = ?", .flag(isUnread), .integer(row))
        change(email.place) { $0.isUnread = isUnread }
    }

    /// Keeps what a thread is now in step with the row of one of its emails.
    private func change(_ place: EmailPlace, _ edit: (inout ThreadContents.Member) -> Void) {
        guard let index = member(place) else { return }
        lastMember = index
        currentThreads[place.threadID].edit { edit(&$0.members[index]) }
    }

    /// Updates mostly come in the order of their thread: searching a long one for each would take longer and longer.
    private func member(_ place: EmailPlace) -> Int? {
        guard let members = currentThreads[place.threadID]?.members else { return nil }
        let near = [lastMember, lastMember + 1].first { $0 < members.count && members[$0].email == place.id }
        return near ?? members.firstIndex { $0.email == place.id }
    }
}

extension Optional {
    fileprivate mutating func edit(_ body: (inout Wrapped) -> Void) {
        guard var value = take() else { return }
        body(&value)
        self = value
    }
}

extension Keyword {
    /// By their code points, as the database compares them.
    fileprivate func isExactly(_ other: Keyword) -> Bool {
        rawValue.utf8.elementsEqual(other.rawValue.utf8)
    }
}
