import FoundationEssentials
import MailKernelAPI

/// Changes an index within one transaction. All that it changes has one number.
final class IndexWriter {
    let database: Database
    private(set) var added: Set<String> = []
    /// Messages that are gone, and whose files can go.
    private(set) var doomed: [String] = []
    private var step: Int64?
    private var hasForgotten = false

    /// The maximum number of removals to remember; beyond it, the oldest cursors expire.
    private static let remembered: Int64 = 100_000
    private static let deliveriesRemembered: Int64 = 1_000

    init(_ database: Database) {
        self.database = database
    }

    var hasChanged: Bool { step != nil }

    /// The number of this change, taken when something really changes.
    func takeStep() throws(FolderError) -> Int64 {
        if let step { return step }
        try database.run("UPDATE state SET step = step + 1")
        let taken = try database.integer("SELECT step FROM state") ?? 0
        step = taken
        return taken
    }

    func finish() throws(FolderError) {
        guard !doomed.isEmpty else { return }
        let count = try database.integer("SELECT count(*) FROM gone") ?? 0
        guard count > Self.remembered else { return }
        // A fifth at once, so that it is seldom.
        let excess = count - Self.remembered * 4 / 5
        let last =
            try database.integer(
                "SELECT changed FROM gone ORDER BY changed LIMIT 1 OFFSET ?", .integer(excess - 1)) ?? 0
        try database.run("DELETE FROM gone WHERE changed <= ?", .integer(last))
        try database.run("UPDATE state SET forgotten = ?", .integer(last))
    }

    // MARK: Messages

    /// The number of a message; nil if it is gone.
    func number(of address: RemoteAddress) throws(FolderError) -> Int64? {
        guard address.feed == MailFolder.feed else { return nil }
        return try database.first(
            "SELECT number FROM message WHERE id = ?", [.text(address.id.rawValue)], { $0.int64(0) })
    }

    /// A message with these bytes; nil if there is none.
    func message(withDigest digest: Data) throws(FolderError) -> (number: Int64, id: String)? {
        try database.first(
            "SELECT number, id FROM message WHERE digest = ? ORDER BY number LIMIT 1", [.blob(digest)],
            { ($0.int64(0), $0.text(1)) })
    }

    func add(
        _ message: StagedMessage, to mailboxIDs: Set<RemoteMailboxID>, keywords: Set<Keyword>,
        receivedAt: Date
    ) throws(FolderError) {
        let step = try takeStep()
        try database.run(
            """
            INSERT INTO message (id, digest, size, received, keywords, message_id, came, changed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(message.id), .blob(message.digest), .integer(message.size), .date(receivedAt),
            .text(KeywordList.text(keywords)), .optional(message.messageID), .integer(step), .integer(step))
        let number = database.lastInsertID
        for mailbox in mailboxIDs {
            try database.run("INSERT INTO place VALUES (?, ?)", .integer(number), .text(mailbox.rawValue))
        }
        added.insert(message.id)
    }

    func mailboxes(of number: Int64) throws(FolderError) -> Set<RemoteMailboxID> {
        Set(
            try database.rows(
                "SELECT mailbox FROM place WHERE message = ?", [.integer(number)],
                { RemoteMailboxID($0.text(0)) }))
    }

    func setMailboxes(_ new: Set<RemoteMailboxID>, of number: Int64) throws(FolderError) {
        let old = try mailboxes(of: number)
        guard new != old else { return }
        for mailbox in old.subtracting(new) {
            try database.run(
                "DELETE FROM place WHERE message = ? AND mailbox = ?", .integer(number),
                .text(mailbox.rawValue))
        }
        for mailbox in new.subtracting(old) {
            try database.run("INSERT INTO place VALUES (?, ?)", .integer(number), .text(mailbox.rawValue))
        }
        try touch(number)
    }

    func changeKeywords(of number: Int64, add: Set<Keyword>, remove: Set<Keyword>) throws(FolderError) {
        let text =
            try database.first(
                "SELECT keywords FROM message WHERE number = ?", [.integer(number)], { $0.text(0) }) ?? ""
        let old = KeywordList.keywords(text)
        let new = old.subtracting(remove).union(add)
        guard new != old else { return }
        try database.run(
            "UPDATE message SET keywords = ? WHERE number = ?", .text(KeywordList.text(new)), .integer(number)
        )
        try touch(number)
    }

    private func touch(_ number: Int64) throws(FolderError) {
        try database.run(
            "UPDATE message SET changed = ? WHERE number = ?", .integer(try takeStep()), .integer(number))
    }

    func destroy(_ number: Int64) throws(FolderError) {
        guard
            let id = try database.first(
                "SELECT id FROM message WHERE number = ?", [.integer(number)], { $0.text(0) })
        else { return }
        try database.run(
            "INSERT INTO gone SELECT number, id, came, ? FROM message WHERE number = ?",
            .integer(try takeStep()), .integer(number))
        try database.run("INSERT INTO doomed VALUES (?)", .text(id))
        try database.run("DELETE FROM place WHERE message = ?", .integer(number))
        try database.run("DELETE FROM message WHERE number = ?", .integer(number))
        doomed.append(id)
    }

    // MARK: Mailboxes

    func hasMailbox(_ id: RemoteMailboxID) throws(FolderError) -> Bool {
        try database.integer("SELECT count(*) FROM mailbox WHERE id = ?", .text(id.rawValue)) ?? 0 > 0
    }

    /// Notes that the list of mailboxes is another now.
    func noteMailboxes() throws(FolderError) {
        _ = try takeStep()
        try database.run("UPDATE state SET mailboxes = mailboxes + 1")
    }

    // MARK: Deliveries

    /// Notes that a delivery was made; false if it was noted before.
    func noteDelivery(_ delivery: Data) throws(FolderError) -> Bool {
        try database.run("INSERT OR IGNORE INTO delivered (delivery) VALUES (?)", .blob(delivery))
        guard database.changes > 0 else { return false }
        try database.run(
            "DELETE FROM delivered WHERE number <= ?",
            .integer(database.lastInsertID - Self.deliveriesRemembered))
        return true
    }
}

/// Keywords as the index holds them: apart by spaces, which no keyword has.
enum KeywordList {
    static func text(_ keywords: Set<Keyword>) -> String {
        keywords.map(\.rawValue).sorted().joined(separator: " ")
    }

    static func keywords(_ text: String) -> Set<Keyword> {
        Set(text.split(separator: " ").map { Keyword(String($0)) })
    }

    static func check(_ keywords: Set<Keyword>) throws(FolderError) {
        let isRight = keywords.allSatisfy { keyword in
            (1...255).contains(keyword.rawValue.utf8.count)
                && keyword.rawValue.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
        }
        guard isRight else {
            throw .account(.refused("A keyword must have 1 to 255 characters and no spaces."))
        }
    }
}
