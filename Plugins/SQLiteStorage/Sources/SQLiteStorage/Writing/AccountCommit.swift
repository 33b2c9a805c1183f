import FoundationEssentials
import MailKernelAPI
import StoreRules

/// The changes of one commit to one account: the touched records, and their previous versions.
final class AccountCommit {
    let id: Id<Account>
    let row: Int64
    let database: Database
    let index: SearchIndex

    var mailboxRows: [Id<Mailbox>: Int64] = [:]
    var emails: [Id<Email>: EmailTouch] = [:]
    var threads: [Id<EmailThread>: ThreadContents] = [:]
    /// What those threads are now of which only the marks of emails were updated.
    var currentThreads: [Id<EmailThread>: ThreadContents] = [:]
    /// The place in its thread of the email that was updated last.
    var lastMember = 0
    var formerMailboxes: [Id<Mailbox>: StoredMailbox?] = [:]
    var formerIdentities: [Id<Identity>: Data?] = [:]
    var formerSubmissions: [Id<EmailSubmission>: Data?] = [:]
    let formerTrash: Set<Int64>
    /// Something other than a record has changed that affects queries.
    var isQueryAnswerChanged = false
    var insertedRows: [Id<Email>: Int64] = [:]
    /// The rows of emails whose insights were put or removed.
    var touchedInsights: Set<Int64> = []
    var mailBytes = 0
    var indexBytes = 0
    private var textsToIndex: [Int64: SearchableText] = [:]
    private var bytesToIndex = 0
    private(set) var isIndexTouched = false

    init(_ account: AccountReference, _ database: Database) throws(StorageError) {
        id = account.id
        row = account.row
        self.database = database
        index = SearchIndex(account: account.row)
        formerTrash = try database.trash(of: account.row)
    }

    /// Updates the counts and returns the changes, type by type.
    func finish() throws(StorageError) -> [(DataType, [ChangeLog.Difference])] {
        try writeIndex()
        let threadDifferences = try finishThreads()
        var differences: [(DataType, [ChangeLog.Difference])] = []
        differences.append((.mailbox, try mailboxDifferences()))
        differences.append((.email, try emailDifferences()))
        differences.append((.thread, threadDifferences))
        differences.append((.identity, try recordDifferences(.identity, "identity", formerIdentities)))
        differences.append((.submission, try recordDifferences(.submission, "submission", formerSubmissions)))
        if mailBytes != 0 || indexBytes != 0 {
            try database.run(
                """
                UPDATE account SET mail_bytes = mail_bytes + ?, index_bytes = index_bytes + ? WHERE row = ?
                """, .integer(mailBytes), .integer(indexBytes), .integer(row))
        }
        return differences.filter { !$0.1.isEmpty }
    }
}

// MARK: The search index

extension AccountCommit {
    private static let mostBytesToIndex = 4_000_000

    /// Indexed with the others of this commit, in the order of their rows. Between other statements FTS5
    /// would write a piece of index for nearly every message, and merge all those pieces later.
    func addToIndex(_ text: SearchableText, row: Int64) throws(StorageError) {
        isIndexTouched = true
        textsToIndex[row] = text
        bytesToIndex += text.bytes
        if bytesToIndex > Self.mostBytesToIndex { try writeIndex() }
    }

    func removeFromIndex(row: Int64) throws(StorageError) {
        isIndexTouched = true
        // What waits to be indexed is not in the index.
        if textsToIndex.removeValue(forKey: row) == nil { try index.remove(row: row, from: database) }
    }

    private func writeIndex() throws(StorageError) {
        for (row, text) in textsToIndex.sorted(by: { $0.key < $1.key }) {
            try index.add(text, row: row, to: database)
        }
        (textsToIndex, bytesToIndex) = ([:], 0)
    }
}

// MARK: Identities and submissions

extension AccountCommit {
    func put(_ identity: Identity) throws(StorageError) {
        try remember("identity", identity.id, &formerIdentities)
        try database.run(
            "INSERT OR REPLACE INTO identity VALUES (?, ?, ?)", .integer(row), .id(identity.id),
            .blob(try JSONRecord.encode(identity)))
    }

    func destroyIdentity(_ id: Id<Identity>) throws(StorageError) {
        try remember("identity", id, &formerIdentities)
        try destroy("identity", id.rawValue)
    }

    func put(_ submission: EmailSubmission) throws(StorageError) {
        try remember("submission", submission.id, &formerSubmissions)
        try database.run(
            "INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?)", .integer(row), .id(submission.id),
            .date(submission.queuedAt), .blob(try JSONRecord.encode(submission)))
    }

    func destroySubmission(_ id: Id<EmailSubmission>) throws(StorageError) {
        try remember("submission", id, &formerSubmissions)
        try destroy("submission", id.rawValue)
    }

    private func remember<Of>(
        _ table: String, _ id: Id<Of>, _ former: inout [Id<Of>: Data?]
    ) throws(StorageError) {
        if former[id] == nil { former[id] = .some(try record(table, id.rawValue)) }
    }

    private func record(_ table: String, _ id: String) throws(StorageError) -> Data? {
        try database.first(
            "SELECT record FROM \(table) WHERE account = ? AND id = ?", [.integer(row), .text(id)]
        ) { $0.data(0) }
    }

    private func destroy(_ table: String, _ id: String) throws(StorageError) {
        try database.run("DELETE FROM \(table) WHERE account = ? AND id = ?", .integer(row), .text(id))
        guard database.changes > 0 else { throw .notFound("\(table) \(id)") }
    }

    private func recordDifferences<Of>(
        _ type: DataType, _ table: String, _ former: [Id<Of>: Data?]
    ) throws(StorageError) -> [ChangeLog.Difference] {
        var differences: [ChangeLog.Difference] = []
        for (id, former) in former.sorted(by: { $0.key < $1.key }) {
            let now = try record(table, id.rawValue)
            guard former != now, let kind = ChangeLog.Kind(wasThere: former != nil, isThere: now != nil)
            else { continue }
            differences.append(.init(type: type, id: id.rawValue, kind: kind))
        }
        return differences
    }
}
