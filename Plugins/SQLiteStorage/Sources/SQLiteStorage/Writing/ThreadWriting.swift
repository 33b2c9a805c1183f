import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The threads of an account, as defined by `Threading`.
///
/// A thread's id is the smallest id of the emails it ever contained, if it was free. If email ids grow over
/// time, as the kernel's do, a thread keeps its first id; the ids are the same for any order of arrival.
extension AccountCommit {
    private struct ThreadLink: Hashable {
        var row: Int64
        var id: Id<EmailThread>
    }

    /// Adds an email to its thread and returns the thread's row. A replaced email stays in its thread: its
    /// new headers can only add connections.
    func joinThread(_ message: PackedMessage, current: EmailPlace?) throws(StorageError) -> Int64 {
        let email = message.email
        let messages = email.header.connectedMessages
        let connected = try threads(connectedBy: messages)
        var related = Set(connected.values)
        if let current { related.insert(ThreadLink(row: current.thread, id: current.threadID)) }
        if let link = message.link { related.formUnion(try threads(around: email.receivedAt, link)) }

        let thread = try target(for: email.id, isNew: current == nil, among: related)
        for other in related where other.row != thread { try merge(other, into: thread) }
        for message in messages where connected[message] == nil {
            try database.run(
                "INSERT OR REPLACE INTO thread_message VALUES (?, ?, ?)", .integer(row), .text(message),
                .integer(thread))
        }
        if let link = message.link { try note(link, at: email.receivedAt, for: thread) }
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

/// A thread is remembered under the keys of its emails by stretches of time: emails with that key came in them, none
/// more than the window apart.
extension AccountCommit {
    private static let window = Double(Threading.subjectWindowDays) * 86_400

    private func threads(around date: Date, _ link: SubjectLink) throws(StorageError) -> [ThreadLink] {
        var found: [ThreadLink] = []
        for key in link.connectedKeys {
            found += try database.rows(
                """
                SELECT t.row, t.id FROM thread t WHERE t.row IN (SELECT s.thread FROM thread_subject s
                WHERE s.account = ? AND s.subject = ? AND s.first <= ? AND s.last >= ?)
                """, [.integer(row), .text(key)] + Self.reach(of: date)
            ) { ThreadLink(row: $0.int64(0), id: $0.id(1)) }
        }
        return found
    }

    /// The latest beginning and the earliest end of a stretch near a date.
    private static func reach(of date: Date) -> [SQLValue] {
        [.date(date.addingTimeInterval(window)), .date(date.addingTimeInterval(-window))]
    }

    private func note(_ link: SubjectLink, at date: Date, for thread: Int64) throws(StorageError) {
        for key in link.ownKeys { try note(key, at: date, for: thread, isNew: true) }
        // What the email brought into one thread is one stretch from now on.
        for key in Set(link.connectedKeys).subtracting(link.ownKeys) where link.isReply {
            try note(key, at: date, for: thread, isNew: false)
        }
    }

    /// Stretches of one thread that the date brings within the window of each other become one.
    private func note(_ key: String, at date: Date, for thread: Int64, isNew: Bool) throws(StorageError) {
        // By thread, because a newsletter has thousands of emails under one key, each in its own thread.
        let near = try database.rows(
            """
            SELECT row, first, last FROM thread_subject
            WHERE thread = ? AND +account = ? AND +subject = ? AND first <= ? AND last >= ?
            """, [.integer(thread), .integer(row), .text(key)] + Self.reach(of: date)
        ) { (row: $0.int64(0), first: $0.date(1), last: $0.date(2)) }
        guard isNew || near.count > 1 else { return }
        for stretch in near {
            try database.run("DELETE FROM thread_subject WHERE row = ?", .integer(stretch.row))
        }
        let dates = near.flatMap { [$0.first, $0.last] } + (isNew ? [date] : [])
        try database.run(
            "INSERT INTO thread_subject (account, subject, first, last, thread) VALUES (?, ?, ?, ?, ?)",
            .integer(row), .text(key), .date(dates.min() ?? date), .date(dates.max() ?? date),
            .integer(thread))
    }
}
