import FoundationEssentials
import MailKernelAPI

extension AccountCommit {
    func put(_ message: PackedMessage) throws(StorageError) {
        let email = message.email
        let mailboxes = try mailboxRows(of: email.mailboxIDs)
        let current = try place(of: email.id)
        if let current {
            try remember(current)
            try rememberBody(current)
            try touchThread(current.threadID)
        }
        let thread = try joinThread(message, current: current)
        if let current {
            try replace(current, by: message, thread)
        } else {
            try insert(message, thread)
        }
        guard let row = current?.row ?? insertedRows[email.id] else { throw .notFound("email \(email.id)") }
        for mailbox in mailboxes { try link(row, mailbox, email.receivedAt) }
        for keyword in email.keywords { try link(row, keyword) }
    }

    func destroyEmail(_ id: Id<Email>) throws(StorageError) {
        try remove(try existing(id))
    }

    /// Removes an email and all that goes with it. It has been remembered.
    func remove(_ place: EmailPlace) throws(StorageError) {
        try touchThread(place.threadID)
        try rememberBody(place)
        try takeOutOfUsage(place)
        for table in ["email_body", "email_mailbox", "email_keyword", "insight", "remote"] {
            try database.run("DELETE FROM \(table) WHERE email = ?", .integer(place.row))
        }
        touchedInsights.insert(place.row)
        try database.run("DELETE FROM email WHERE row = ?", .integer(place.row))
        try removeFromIndex(row: place.row)
        try leaveThread(place)
        emails[place.id]?.isThere = false
    }

    static func isUnread(_ keywords: Set<Keyword>) -> Bool {
        !keywords.contains(.seen) && !keywords.contains(.draft)
    }
}

// MARK: Rows

extension AccountCommit {
    private func insert(_ message: PackedMessage, _ thread: Int64) throws(StorageError) {
        try database.each(
            """
            INSERT INTO email (thread, received, sent, size, attachment, unread, mail_bytes, index_bytes,
                from_key, to_key, subject_key, account, id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, message.values(thread) + [.integer(row), .id(message.email.id)]
        ) { _ in true }
        let email = database.lastInsertID
        try database.run(
            "INSERT INTO email_body VALUES (?, ?, ?, ?)", .integer(email), .blob(message.core),
            .blob(message.headers), .blob(message.content))
        try addToIndex(message.text, row: email)
        mailBytes += message.mailBytes
        indexBytes += message.indexBytes
        insertedRows[message.email.id] = email
        var touch = emails[message.email.id] ?? EmailTouch(former: nil, isThere: true)
        touch.isThere = true
        touch.now = nil
        emails[message.email.id] = touch
    }

    private func replace(
        _ place: EmailPlace, by message: PackedMessage, _ thread: Int64
    ) throws(StorageError) {
        try takeOutOfUsage(place)
        try database.each(
            """
            UPDATE email SET thread = ?, received = ?, sent = ?, size = ?, attachment = ?, unread = ?,
                mail_bytes = ?, index_bytes = ?, from_key = ?, to_key = ?, subject_key = ?
            WHERE row = ?
            """, message.values(thread) + [.integer(place.row)]
        ) { _ in true }
        try database.run(
            "UPDATE email_body SET core = ?, headers = ?, content = ? WHERE email = ?", .blob(message.core),
            .blob(message.headers), .blob(message.content), .integer(place.row))
        try removeFromIndex(row: place.row)
        try addToIndex(message.text, row: place.row)
        mailBytes += message.mailBytes + (try insightBytes(of: place.row))
        indexBytes += message.indexBytes
        try database.run("DELETE FROM email_mailbox WHERE email = ?", .integer(place.row))
        try database.run("DELETE FROM email_keyword WHERE email = ?", .integer(place.row))
    }

    private func takeOutOfUsage(_ place: EmailPlace) throws(StorageError) {
        let bytes = try database.first(
            "SELECT mail_bytes, index_bytes FROM email WHERE row = ?", [.integer(place.row)]
        ) { ($0.int(0), $0.int(1)) }
        guard let bytes else { return }
        mailBytes -= bytes.0 + (try insightBytes(of: place.row))
        indexBytes -= bytes.1
    }

    private func insightBytes(of email: Int64) throws(StorageError) -> Int {
        Int(try database.integer("SELECT bytes FROM insight WHERE email = ?", .integer(email)) ?? 0)
    }

    func link(_ email: Int64, _ mailbox: Int64, _ received: Date) throws(StorageError) {
        try database.run(
            "INSERT OR IGNORE INTO email_mailbox VALUES (?, ?, ?)", .integer(email), .integer(mailbox),
            .date(received))
    }

    func link(_ email: Int64, _ keyword: Keyword) throws(StorageError) {
        try database.run(
            "INSERT OR IGNORE INTO email_keyword VALUES (?, ?)", .integer(email), .text(keyword.rawValue))
    }

    func mailboxRows(
        of ids: Set<Id<Mailbox>>, allowingNone: Bool = false
    ) throws(StorageError) -> [Int64] {
        guard allowingNone || !ids.isEmpty else { throw .invalid(reason: "an email in no mailbox") }
        var rows: [Int64] = []
        for id in ids {
            guard let row = try mailboxRow(id) else { throw .notFound("mailbox \(id)") }
            rows.append(row)
        }
        return rows
    }
}
