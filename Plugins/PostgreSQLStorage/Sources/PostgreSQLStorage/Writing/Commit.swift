import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A change set being applied in a transaction.
///
/// It begins by raising a number in the row of each of its accounts: commits to one account wait there for each other, and
/// later statements see what earlier commits wrote.
final class Commit {
    let connection: Connection
    private let set: ChangeSet
    let storeID: String
    /// Account 0 is for what belongs to no account.
    var logs: [Int: ChangeLog] = [:]
    private var numbers: [Id<Account>: Int] = [:]
    var ids: [Int: Id<Account>] = [:]
    var accounts: [Id<Account>: AccountCommit] = [:]
    var records: RecordImage
    var formerAccounts: [Id<Account>: Data?] = [:]
    private let kernel: [UInt8]
    let site: CommitSite

    static func apply(
        _ set: ChangeSet, kernel: [UInt8], to connection: Connection, _ site: CommitSite = CommitSite()
    ) throws(StorageError) -> CommitResult {
        let commit = try Commit(set, kernel: kernel, connection, site)
        for condition in set.preconditions { try commit.check(condition) }
        for change in set.changes { try commit.apply(change) }
        return CommitResult(states: try commit.finish())
    }

    private init(
        _ set: ChangeSet, kernel: [UInt8], _ connection: Connection, _ site: CommitSite
    ) throws(StorageError) {
        self.set = set
        self.site = site
        self.kernel = kernel
        self.connection = connection
        let named = set.changes.map(\.accountID) + set.preconditions.map(\.accountID)
        let store = try connection.askStoreID()
        let isOfStore =
            named.contains(nil) || set.changes.contains(where: \.isOfAccounts) && site.kind != .further
        let storeLock = isOfStore ? try Self.askForStore(connection) : nil
        var locks: [(id: Id<Account>, lock: Question)] = []
        // In one order everywhere, so that two commits do not wait for each other.
        for id in Set(named.compactMap { $0 } + set.leases.map(\.accountID)).sorted() {
            locks.append((id, try Self.askForLock(of: id, kernel, connection)))
        }
        storeID = try connection.storeID(from: store)
        records = RecordImage(connection)
        if let storeLock { try lockStore(storeLock) }
        for (id, lock) in locks { try self.lock(id, lock) }
        try askForRecords()
    }

    private static func askForStore(_ connection: Connection) throws(StorageError) -> Question {
        try connection.ask("UPDATE store SET last_change = last_change + 1 RETURNING last_change", [])
    }

    private static func askForLock(
        of id: Id<Account>, _ kernel: [UInt8], _ connection: Connection
    ) throws(StorageError) -> Question {
        try connection.ask(
            """
            UPDATE account SET last_change = last_change + 1 WHERE id = $1
            RETURNING account, last_change, fence, coalesce(holder = $2, false)
            """, [.id(id), .bytes(kernel)])
    }

    private func lockStore(_ lock: Question) throws(StorageError) {
        let last = try connection.rows(lock) { $0.int(0) }.first
        logs[0] = try ChangeLog(connection, 0, kernel, last: last ?? 0)
    }

    private func lock(_ id: Id<Account>, _ lock: Question) throws(StorageError) {
        let row = try connection.rows(lock) {
            (number: $0.int(0), last: $0.int(1), fence: $0.int(2), isHeld: $0.flag(3))
        }.first
        guard row != nil || !site.expected.contains(id) else { throw .elsewhere }
        for lease in set.leases where lease.accountID == id {
            guard let row, row.isHeld, row.fence == lease.fence else { throw .leaseLost(lease) }
        }
        guard let row else { return }
        try know(id, row.number, last: row.last)
    }

    /// Those that the changes will look for, in one exchange.
    private func askForRecords() throws(StorageError) {
        for change in set.changes {
            guard let key = change.record, let number = try? number(of: change.accountID) else { continue }
            try records.ask(key.type, key.id, number)
        }
    }

    private func know(_ id: Id<Account>, _ number: Int, last: Int) throws(StorageError) {
        numbers[id] = number
        ids[number] = id
        logs[number] = try ChangeLog(connection, number, kernel, last: last)
    }

    /// Checks conditions on what belongs to no account, which nothing changes before the transaction has ended.
    static func check(
        _ conditions: [ChangeSet.Precondition], kernel: [UInt8], on connection: Connection
    ) throws(StorageError) {
        let commit = try Commit(
            ChangeSet(preconditions: conditions), kernel: kernel, connection, CommitSite(kind: .home))
        for condition in conditions { try commit.check(condition) }
    }

    private func check(_ condition: ChangeSet.Precondition) throws(StorageError) {
        let number = try number(of: condition.accountID)
        let current = try logs[number]?.current(of: condition.type) ?? 0
        let state = StateNaming(store: storeID, account: number).state(current)
        guard state == condition.state else { throw .stateMismatch(condition.type, current: state) }
    }

    private func number(of id: Id<Account>?) throws(StorageError) -> Int {
        guard let id else { return 0 }
        guard let number = numbers[id] else { throw .notFound("account \(id)") }
        return number
    }

    private func account(_ id: Id<Account>) throws(StorageError) -> AccountCommit {
        if let known = accounts[id] { return known }
        let account = try AccountCommit(
            try number(of: id), connection, set.changes.filter { $0.accountID == id })
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
        case .putMailbox(let mailbox): try account(mailbox.accountID).put(mailbox)
        case .destroyMailbox(let id, let accountID): try account(accountID).destroyMailbox(id)
        case .putEmail(let email, let body): try account(email.accountID).put(email, body)
        case .updateEmail(let update): try account(update.accountID).update(update)
        case .destroyEmail(let id, let accountID): try account(accountID).destroyEmail(id)
        case .putRemote(let ref): try account(ref.accountID).put(ref)
        case .removeRemote(let id, let feed, let accountID):
            try account(accountID).removeRemote(id, feed: feed)
        case .countContacts(let sightings, let accountID): try account(accountID).count(sightings)
        case .putInsight(let insight): try account(insight.accountID).put(insight)
        case .putIdentity(let identity):
            try putRecord(.identity, identity.id.rawValue, of: identity.accountID, identity)
        case .destroyIdentity(let id, let accountID): try destroy(.identity, id.rawValue, in: accountID)
        case .putSubmission(let submission):
            try putRecord(
                .submission, submission.id.rawValue, of: submission.accountID, submission,
                queued: submission.queuedAt)
        case .destroySubmission(let id, let accountID): try destroy(.submission, id.rawValue, in: accountID)
        case .putDocument(let document):
            let key = document.key
            try putRecord(.documents(key.collection), key.name, of: key.accountID, document.value)
        case .destroyDocument(let key): try destroyDocument(key)
        }
    }

    private func putRecord(
        _ type: DataType, _ id: String, of accountID: Id<Account>?, _ value: some Encodable,
        queued: Date? = nil
    ) throws(StorageError) {
        try records.put(type, id, try number(of: accountID), value, queued: queued)
    }

    private func destroy(_ type: DataType, _ id: String, in accountID: Id<Account>) throws(StorageError) {
        guard try records.destroy(type, id, try number(of: accountID)) else {
            throw .notFound("\(type.rawValue) \(id)")
        }
    }

    /// It is not an error if there is none.
    private func destroyDocument(_ key: DocumentKey) throws(StorageError) {
        guard key.accountID == nil || key.accountID.flatMap({ numbers[$0] }) != nil else { return }
        _ = try records.destroy(.documents(key.collection), key.name, try number(of: key.accountID))
    }

    private func put(_ account: Account) throws(StorageError) {
        let record = try JSONRecord.encode(account)
        let former = try accountRecord(account.id)
        guard site.kind != .further else { return try update(account, record) }
        if formerAccounts[account.id] == nil { formerAccounts[account.id] = .some(former) }
        guard former == nil else {
            guard numbers[account.id] == nil else { return try update(account, record) }
            guard site.isDeed else { throw .elsewhere }
            return try connection.updatePlace(of: account, record)
        }
        let number = try connection.first(
            "UPDATE store SET last_account = last_account + 1 RETURNING last_account"
        ) { $0.int(0) }
        guard let number else { throw .corrupt(reason: "the table “store” is empty") }
        try connection.send(
            "INSERT INTO account (account, id, added, cache_limit, record) VALUES ($1, $2, $3, $4, $5)",
            .integer(number), .id(account.id), .date(account.addedAt), .integer(account.attachmentCacheLimit),
            .data(record))
        try know(account.id, number, last: 0)
        guard site.kind == .home else { return }
        guard try connection.addPlace(of: account, number) else { throw .elsewhere }
    }

    private func update(_ account: Account, _ record: Data) throws(StorageError) {
        try connection.run(
            "UPDATE account SET added = $2, cache_limit = $3, record = $4 WHERE id = $1", .id(account.id),
            .date(account.addedAt), .integer(account.attachmentCacheLimit), .data(record))
        try BlobCache(connection).evict(
            account: try number(of: account.id), limit: account.attachmentCacheLimit)
    }

    /// Nil if there is no such account, on any server.
    func accountRecord(_ id: Id<Account>) throws(StorageError) -> Data? {
        let here = try connection.first("SELECT record FROM account WHERE id = $1", [.id(id)]) { $0.data(0) }
        guard here == nil, site.kind == .home else { return here }
        return try connection.first("SELECT record FROM account_place WHERE id = $1", [.id(id)]) {
            $0.data(0)
        }
    }
}
