import FoundationEssentials
import MailKernelAPI

/// The threads of an account, as `Threading` defines them.
///
/// A thread's id is the smallest id of the emails that it ever held, as far as it was free. Where
/// email ids grow with time, as the kernel's do, a thread keeps the id that it began with; whatever
/// order emails come in, the ids end up the same.
extension AccountCommit {
    private struct ThreadLink: Hashable {
        var row: Int64
        var id: Id<EmailThread>
    }

    /// Puts an email with those that it belongs to and returns the row of its thread. One that is
    /// replaced stays with those it was with: what it says now may only bring more together.
    func joinThread(_ message: PackedMessage, current: EmailPlace?) throws(StorageError) -> Int64 {
        let email = message.email
        let header = email.header
        let messages = Set(header.messageID + header.inReplyTo + header.references).filter { !$0.isEmpty }
        let subject = Self.connectingSubject(of: message)
        let connected = try threads(connectedBy: messages)
        var related = Set(connected.values)
        if let current { related.insert(ThreadLink(row: current.thread, id: current.threadID)) }
        if let subject { related.formUnion(try threads(around: email.receivedAt, subject: subject)) }

        let thread = try target(for: email.id, isNew: current == nil, among: related)
        for other in related where other.row != thread { try merge(other, into: thread) }
        for message in messages where connected[message] == nil {
            try database.run(
                "INSERT OR REPLACE INTO thread_message VALUES (?, ?, ?)", .integer(row), .text(message),
                .integer(thread))
        }
        if let subject { try note(subject, at: email.receivedAt, for: thread) }
        return thread
    }

    /// The last email of a thread takes with it all that the thread remembers.
    func leaveThread(_ place: EmailPlace) throws(StorageError) {
        let other = try database.integer(
            "SELECT 1 FROM email WHERE thread = ? LIMIT 1", .integer(place.thread))
        if other == nil { try removeThread(place.thread) }
    }

    private func removeThread(_ thread: Int64) throws(StorageError) {
        try database.run("DELETE FROM thread_message WHERE thread = ?", .integer(thread))
        try database.run("DELETE FROM thread_subject WHERE thread = ?", .integer(thread))
        try database.run("DELETE FROM thread WHERE row = ?", .integer(thread))
    }

    /// The row of the thread that all the related ones become, made if there are none.
    private func target(
        for email: Id<Email>, isNew: Bool, among related: Set<ThreadLink>
    ) throws(StorageError) -> Int64 {
        var own = Id<EmailThread>(email.rawValue)
        guard let smallest = related.min(by: { $0.id < $1.id }) else {
            // Taken by the former thread of an email that had this id and was removed.
            while try database.threadRow(own, account: row) != nil { own = Id(own.rawValue + "_") }
            return try makeThread(own)
        }
        for thread in related { try touchThread(thread.id) }
        guard isNew, own < smallest.id, try database.threadRow(own, account: row) == nil else {
            return smallest.row
        }
        return try makeThread(own)
    }

    private func makeThread(_ id: Id<EmailThread>) throws(StorageError) -> Int64 {
        try touchThread(id)
        try database.run("INSERT INTO thread (account, id) VALUES (?, ?)", .integer(row), .id(id))
        return database.lastInsertID
    }

    private func merge(_ other: ThreadLink, into thread: Int64) throws(StorageError) {
        let moved = try database.rows("SELECT id, row FROM email WHERE thread = ?", [.integer(other.row)]) {
            EmailPlace(id: $0.id(0), row: $0.int64(1), thread: other.row, threadID: other.id)
        }
        for place in moved { try remember(place) }
        for table in ["email", "thread_message", "thread_subject"] {
            try database.run(
                "UPDATE \(table) SET thread = ? WHERE thread = ?", .integer(thread), .integer(other.row))
        }
        try database.run("DELETE FROM thread WHERE row = ?", .integer(other.row))
    }

    private func threads(connectedBy messages: Set<String>) throws(StorageError) -> [String: ThreadLink] {
        var threads: [String: ThreadLink] = [:]
        for message in messages {
            let thread = try database.first(
                """
                SELECT t.row, t.id FROM thread_message m JOIN thread t ON t.row = m.thread
                WHERE m.account = ? AND m.message = ?
                """, [.integer(row), .text(message)]
            ) { ThreadLink(row: $0.int64(0), id: $0.id(1)) }
            threads[message] = thread
        }
        return threads
    }
}

// MARK: Subjects

/// A thread is remembered under a subject by stretches of time: emails with that subject came in
/// them, none more than the window apart.
extension AccountCommit {
    private static let window = Double(Threading.subjectWindowDays) * 86_400

    /// The subject that an email is connected by, if it is one that its subject connects.
    private static func connectingSubject(of message: PackedMessage) -> String? {
        let header = message.email.header
        guard header.inReplyTo.isEmpty, header.references.isEmpty else { return nil }
        return message.subject.isEmpty ? nil : message.subject
    }

    private func threads(around date: Date, subject: String) throws(StorageError) -> [ThreadLink] {
        try database.rows(
            """
            SELECT t.row, t.id FROM thread_subject s JOIN thread t ON t.row = s.thread
            WHERE s.account = ? AND s.subject = ? AND s.first <= ? AND s.last >= ?
            """, [.integer(row), .text(subject)] + Self.reach(of: date)
        ) { ThreadLink(row: $0.int64(0), id: $0.id(1)) }
    }

    /// The latest beginning and the earliest end of a stretch near a date.
    private static func reach(of date: Date) -> [SQLValue] {
        [.date(date.addingTimeInterval(window)), .date(date.addingTimeInterval(-window))]
    }

    /// Stretches that the date brings within the window of each other become one.
    private func note(_ subject: String, at date: Date, for thread: Int64) throws(StorageError) {
        let near = try database.rows(
            """
            SELECT row, first, last FROM thread_subject
            WHERE account = ? AND subject = ? AND first <= ? AND last >= ?
            """, [.integer(row), .text(subject)] + Self.reach(of: date)
        ) { (row: $0.int64(0), first: $0.date(1), last: $0.date(2)) }
        for stretch in near {
            try database.run("DELETE FROM thread_subject WHERE row = ?", .integer(stretch.row))
        }
        try database.run(
            "INSERT INTO thread_subject (account, subject, first, last, thread) VALUES (?, ?, ?, ?, ?)",
            .integer(row), .text(subject), .date(min(date, near.map(\.first).min() ?? date)),
            .date(max(date, near.map(\.last).max() ?? date)), .integer(thread))
    }
}
