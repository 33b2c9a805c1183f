import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A change set being applied, within the writer's transaction: if a change fails, the transaction undoes all
/// of them, so nothing is undone here.
///
/// Changes are written immediately. The previous versions of touched records are kept and compared at the
/// end: a state changes if and only if a record does.
final class Commit {
    let database: Database
    var store: StoreRow
    private var accounts: [Id<Account>: AccountCommit] = [:]
    private var formerAccounts: [Id<Account>: Account?] = [:]
    private var formerDocuments: [DocumentKey: Data?] = [:]
    /// Files of blobs that are no longer needed, once this is committed.
    private(set) var obsoleteFiles: [String] = []

    private init(_ database: Database) throws(StorageError) {
        self.database = database
        store = try StoreRow(database)
    }

    struct Outcome: Sendable {
        var result: CommitResult
        var obsoleteFiles: [String]
        /// By the rows of their accounts, those of the emails whose insights are others now.
        var touchedInsights: [Int64: Set<Int64>]
        /// Words were indexed, or taken out of the index.
        var isIndexTouched: Bool
    }

    /// Applies the changes in their order.
    ///
    /// - Parameter messages: those of the changes, if others make them ready.
    static func apply(
        _ changes: ChangeSet, _ messages: PackedMessages? = nil, to database: Database
    ) throws(StorageError) -> Outcome {
        let commit = try Commit(database)
        for condition in changes.preconditions { try commit.check(condition) }
        for (index, change) in changes.changes.enumerated() {
            if let message = messages?.take(index) {
                try commit.account(message.email.accountID).put(message)
            } else {
                try commit.apply(change)
            }
        }
        let states = try commit.finish()
        return Outcome(
            result: CommitResult(states: states), obsoleteFiles: commit.obsoleteFiles,
            touchedInsights: Dictionary(
                commit.accounts.values.map { ($0.row, $0.touchedInsights) }, uniquingKeysWith: { $1 }),
            isIndexTouched: commit.accounts.values.contains(where: \.isIndexTouched))
    }

    private func check(_ condition: ChangeSet.Precondition) throws(StorageError) {
        let log = try database.changeLog(of: condition.accountID)
        let current = store.state(try log.current(condition.type))
        guard current == condition.state else { throw .stateMismatch(condition.type, current: current) }
    }

    /// The part of the commit that is about one account.
    func account(_ id: Id<Account>) throws(StorageError) -> AccountCommit {
        if let known = accounts[id] { return known }
        guard let reference = try database.account(id) else { throw .notFound("account \(id)") }
        let account = try AccountCommit(reference, database)
        accounts[id] = account
        return account
    }
}

// MARK: The changes

extension Commit {
    /// Every kind by its name: the compiler then asks here for one that is new.
    private func apply(_ change: StorageChange) throws(StorageError) {
        switch change {
        case .putAccount(let account): try put(account)
        case .putDocument(let document): try put(document)
        case .destroyDocument(let key): try destroyDocument(key)
        case .putMailbox(let mailbox): try account(mailbox.accountID).put(mailbox)
        case .destroyMailbox(let id, let accountID): try account(accountID).destroyMailbox(id)
        case .putEmail(let email, let body):
            try account(email.accountID).put(PackedMessage(email, body))
        case .updateEmail(let update): try account(update.accountID).update(update)
        case .destroyEmail(let id, let accountID): try account(accountID).destroyEmail(id)
        case .putIdentity(let identity): try account(identity.accountID).put(identity)
        case .destroyIdentity(let id, let accountID): try account(accountID).destroyIdentity(id)
        case .putSubmission(let submission): try account(submission.accountID).put(submission)
        case .destroySubmission(let id, let accountID): try account(accountID).destroySubmission(id)
        case .putRemote(let ref): try account(ref.accountID).put(ref)
        case .removeRemote(let remoteID, let feed, let accountID):
            try account(accountID).removeRemote(remoteID, feed: feed)
        case .countContacts(let sightings, let accountID): try account(accountID).count(sightings)
        case .putInsight(let insight): try account(insight.accountID).put(insight)
        }
    }

    private func put(_ account: Account) throws(StorageError) {
        let record = try JSONRecord.encode(account)
        let former = try database.record(of: account.id)
        if formerAccounts[account.id] == nil { formerAccounts[account.id] = .some(former) }
        if former == nil {
            // Older states of an account that had this id are older than its birth.
            try database.run(
                "INSERT INTO account (id, added, born, cache_limit, record) VALUES (?, ?, ?, ?, ?)",
                .id(account.id), .date(account.addedAt), .integer(store.lastChange + 1),
                .integer(account.attachmentCacheLimit), .blob(record))
            try database.execute(SearchIndex(account: database.lastInsertID).creation)
            return
        }
        try database.run(
            "UPDATE account SET added = ?, cache_limit = ?, record = ? WHERE id = ?",
            .date(account.addedAt), .integer(account.attachmentCacheLimit), .blob(record), .id(account.id))
        let row = try self.account(account.id).row
        obsoleteFiles += try BlobCache(database).evict(account: row, limit: account.attachmentCacheLimit)
    }
}

// MARK: Documents

extension Commit {
    private func put(_ document: Document) throws(StorageError) {
        try remember(document.key)
        try database.run(
            "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?)",
            .integer(try documentAccount(document.key) ?? 0), .text(document.key.collection),
            .text(document.key.name), .blob(try JSONRecord.encode(document.value)))
    }

    private func destroyDocument(_ key: DocumentKey) throws(StorageError) {
        if let id = key.accountID, try database.account(id) == nil { return }
        try remember(key)
        try database.run(
            "DELETE FROM document WHERE account = ? AND collection = ? AND name = ?",
            .integer(try documentAccount(key) ?? 0), .text(key.collection), .text(key.name))
    }

    private func documentAccount(_ key: DocumentKey) throws(StorageError) -> Int64? {
        guard let id = key.accountID else { return nil }
        return try account(id).row
    }

    private func remember(_ key: DocumentKey) throws(StorageError) {
        guard formerDocuments[key] == nil else { return }
        formerDocuments[key] = .some(try document(key))
    }

    private func document(_ key: DocumentKey) throws(StorageError) -> Data? {
        try database.first(
            "SELECT record FROM document WHERE account = ? AND collection = ? AND name = ?",
            [.integer(try documentAccount(key) ?? 0), .text(key.collection), .text(key.name)]
        ) { $0.data(0) }
    }
}

// MARK: Finishing

extension Commit {
    private struct LogKey: Hashable {
        var type: DataType
        var accountID: Id<Account>?
    }

    /// Numbers the differences, writes them into the histories, and answers the new states.
    private func finish() throws(StorageError) -> [CommitResult.StateChange] {
        // One number is left out for accounts that this commit adds: they are born at it.
        store.lastChange += 1
        var states: [CommitResult.StateChange] = []
        var isMailChanged = false
        for (key, differences) in try documentDifferences() {
            try note(differences, key, &states)
        }
        for (id, account) in accounts.sorted(by: { $0.key < $1.key }) {
            let differences = try account.finish()
            isMailChanged = isMailChanged || account.isQueryAnswerChanged || !differences.isEmpty
            for (type, differences) in differences {
                try note(differences, LogKey(type: type, accountID: id), &states)
            }
        }
        try note(try accountDifferences(), LogKey(type: .account), &states)
        if isMailChanged { store.revision += 1 }
        try store.save(to: database)
        return states.sorted { ($0.type.rawValue, $0.state.rawValue) < ($1.type.rawValue, $1.state.rawValue) }
    }

    private func note(
        _ differences: [ChangeLog.Difference], _ key: LogKey, _ states: inout [CommitResult.StateChange]
    ) throws(StorageError) {
        guard !differences.isEmpty else { return }
        try database.changeLog(of: key.accountID).append(differences, of: key.type, &store)
        states.append(.init(key.type, in: key.accountID, store.state(store.lastChange)))
    }

    private func accountDifferences() throws(StorageError) -> [ChangeLog.Difference] {
        var differences: [ChangeLog.Difference] = []
        for (id, former) in formerAccounts.sorted(by: { $0.key < $1.key }) {
            let now = try database.record(of: id)
            guard former != now, let kind = ChangeLog.Kind(wasThere: former != nil, isThere: now != nil)
            else { continue }
            differences.append(.init(type: .account, id: id.rawValue, kind: kind))
        }
        return differences
    }

    private func documentDifferences() throws(StorageError) -> [(LogKey, [ChangeLog.Difference])] {
        var found: [LogKey: [ChangeLog.Difference]] = [:]
        var order: [LogKey] = []
        let sorted = formerDocuments.sorted {
            ($0.key.collection, $0.key.name) < ($1.key.collection, $1.key.name)
        }
        for (key, former) in sorted {
            let now = try document(key)
            guard former != now, let kind = ChangeLog.Kind(wasThere: former != nil, isThere: now != nil)
            else { continue }
            let log = LogKey(type: .documents(key.collection), accountID: key.accountID)
            if found[log] == nil { order.append(log) }
            found[log, default: []].append(.init(type: log.type, id: key.name, kind: kind))
        }
        return order.map { ($0, found[$0] ?? []) }
    }
}
