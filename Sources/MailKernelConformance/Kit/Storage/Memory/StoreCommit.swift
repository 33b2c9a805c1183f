import FoundationEssentials
import MailKernelAPI

/// One change set being applied. It works on a copy, so a change that fails needs no undoing.
struct StoreCommit {
    private let before: StoreContents
    private var after: StoreContents
    private var accounts: [Id<Account>: AccountCommit] = [:]
    private var touchedAccounts: Set<Id<Account>> = []
    private var touchedDocuments: Set<DocumentKey> = []

    init(on contents: StoreContents) {
        before = contents
        after = contents
    }

    /// Applies the changes in their order.
    static func apply(
        _ changes: ChangeSet, to contents: inout StoreContents
    ) throws(StorageError) -> CommitResult {
        for condition in changes.preconditions {
            let number = try contents.history(of: condition.type, in: condition.accountID).current
            let current = contents.state(number)
            guard current == condition.state else {
                throw .stateMismatch(condition.type, current: current)
            }
        }
        var commit = StoreCommit(on: contents)
        for change in changes.changes { try commit.apply(change) }
        return commit.finish(&contents)
    }

    mutating func changing(
        _ id: Id<Account>, _ body: (inout AccountCommit) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard var account = accounts.removeValue(forKey: id) ?? before.accounts[id].map(AccountCommit.init)
        else { throw .notFound("account \(id)") }
        try body(&account)
        accounts[id] = account
    }

    private mutating func apply(_ change: StorageChange) throws(StorageError) {
        switch change {
        case .putAccount(let account): put(account)
        case .putDocument(let document): try put(document)
        case .destroyDocument(let key): destroyDocument(key)
        case .putMailbox(let mailbox):
            try changing(mailbox.accountID) { account throws(StorageError) in try account.put(mailbox) }
        case .destroyMailbox(let id, let accountID):
            try changing(accountID) { account throws(StorageError) in try account.destroyMailbox(id) }
        case .putEmail(let email, let body):
            try changing(email.accountID) { account throws(StorageError) in try account.put(email, body) }
        case .updateEmail(let update):
            try changing(update.accountID) { account throws(StorageError) in try account.update(update) }
        case .destroyEmail(let id, let accountID):
            try changing(accountID) { account throws(StorageError) in try account.destroyEmail(id) }
        case .putIdentity(let identity):
            try changing(identity.accountID) { $0.put(identity) }
        case .destroyIdentity(let id, let accountID):
            try changing(accountID) { account throws(StorageError) in try account.destroyIdentity(id) }
        case .putSubmission(let submission):
            try changing(submission.accountID) { $0.put(submission) }
        case .destroySubmission(let id, let accountID):
            try changing(accountID) { account throws(StorageError) in try account.destroySubmission(id) }
        case .putRemote(let ref):
            try changing(ref.accountID) { account throws(StorageError) in try account.put(ref) }
        case .removeRemote(let remoteID, let feed, let accountID):
            try changing(accountID) { $0.after.remotes.remove(remoteID, feed: feed) }
        case .countContacts(let sightings, let accountID):
            try changing(accountID) { $0.after.contacts.count(sightings) }
        case .putInsight(let insight):
            try changing(insight.accountID) { account throws(StorageError) in try account.put(insight) }
        }
    }

    private mutating func put(_ account: Account) {
        let held =
            accounts.removeValue(forKey: account.id) ?? before.accounts[account.id].map(AccountCommit.init)
        // Older states of an account that had this id are older than `bornAt`.
        var commit = held ?? AccountCommit(AccountContents(account, bornAt: before.lastChange + 1))
        commit.after.account = account
        commit.after.blobs.evict(limit: account.attachmentCacheLimit)
        accounts[account.id] = commit
        touchedAccounts.insert(account.id)
    }

    private mutating func put(_ document: Document) throws(StorageError) {
        let key = document.key
        if let id = key.accountID, accounts[id] == nil, before.accounts[id] == nil {
            throw .notFound("account \(id)")
        }
        let shelf = StoreContents.ShelfKey(collection: key.collection, accountID: key.accountID)
        after.documents[shelf, default: [:]][key.name] = document.value
        touchedDocuments.insert(key)
    }

    private mutating func destroyDocument(_ key: DocumentKey) {
        after.documents[StoreContents.ShelfKey(collection: key.collection, accountID: key.accountID)]?[
            key.name] = nil
        touchedDocuments.insert(key)
    }
}

// MARK: Finishing

extension StoreCommit {
    private struct Difference {
        var key: StoreContents.HistoryKey
        var id: String
        var kind: ChangeHistory.Kind
        var onlyCounts = false
    }

    /// Numbers the differences, writes them into the histories and hands over the result.
    mutating func finish(_ contents: inout StoreContents) -> CommitResult {
        var differences = documentDifferences()
        for (id, var account) in accounts.sorted(by: { $0.key < $1.key }) {
            for difference in account.finish() {
                differences.append(
                    Difference(
                        key: .init(type: difference.type, accountID: id), id: difference.id,
                        kind: difference.kind, onlyCounts: difference.onlyCounts))
            }
            after.accounts[id] = account.after
        }
        differences += accountDifferences()
        after.revision += 1
        let states = record(differences)
        contents = after
        return CommitResult(states: states)
    }

    private func accountDifferences() -> [Difference] {
        touchedAccounts.sorted().compactMap { id in
            let (old, new) = (before.accounts[id]?.account, after.accounts[id]?.account)
            return AccountCommit.kind(old, new, isSame: old == new).map {
                Difference(key: .init(type: .account), id: id.rawValue, kind: $0)
            }
        }
    }

    private func documentDifferences() -> [Difference] {
        let sorted = touchedDocuments.sorted { ($0.collection, $0.name) < ($1.collection, $1.name) }
        return sorted.compactMap { key in
            let (old, new) = (before.document(key), after.document(key))
            return AccountCommit.kind(old, new, isSame: old == new).map {
                Difference(
                    key: .init(type: .documents(key.collection), accountID: key.accountID), id: key.name,
                    kind: $0)
            }
        }
    }

    private mutating func record(_ differences: [Difference]) -> [CommitResult.StateChange] {
        var entries: [StoreContents.HistoryKey: [ChangeHistory.Entry]] = [:]
        // One number is left out for accounts that this commit adds: they are born at it.
        after.lastChange += 1
        for difference in differences {
            after.lastChange += 1
            entries[difference.key, default: []].append(
                ChangeHistory.Entry(
                    number: after.lastChange, id: difference.id, kind: difference.kind,
                    onlyCounts: difference.onlyCounts))
        }
        var states: [CommitResult.StateChange] = []
        for (key, new) in entries {
            let born = key.accountID.flatMap { after.accounts[$0]?.bornAt } ?? 0
            after.histories[key, default: ChangeHistory(startingAt: born)].append(new)
            let current = after.histories[key]?.current ?? born
            states.append(.init(key.type, in: key.accountID, after.state(current)))
        }
        return states.sorted { ($0.type.rawValue, $0.state.rawValue) < ($1.type.rawValue, $1.state.rawValue) }
    }
}
