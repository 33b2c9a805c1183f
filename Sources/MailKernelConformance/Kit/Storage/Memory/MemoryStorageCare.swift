public import FoundationEssentials
public import MailKernelAPI

extension MemoryStorage {
    public func usage() throws(StorageError) -> StorageUsage {
        let contents = try contents()
        let accounts = contents.accounts.values.map(\.usage).sorted { $0.accountID < $1.accountID }
        let documents = contents.documents.values.reduce(0) { $0 + 100 * $1.count }
        return StorageUsage(
            accounts: accounts, total: accounts.reduce(documents) { $0 + $1.total },
            clearable: contents.accounts.values.reduce(0) {
                $0 + $1.blobs.cachedSize + $1.clearableInsightBytes
            })
    }

    public func clearCache(includingInsights: Bool) throws(StorageError) -> Int {
        try change { contents in
            var freed = 0
            contents.accounts = contents.accounts.mapValues { account in
                var account = account
                freed += account.clearCache(includingInsights: includingInsights)
                return account
            }
            contents.revision += 1
            return freed
        }
    }

    public func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) throws(StorageError) -> Int {
        var count = 0
        try commit { contents throws(StorageError) in
            guard let account = contents.accounts[accountID] else { throw .notFound("account \(accountID)") }
            let spared = account.mailboxIDs(withRoleIn: sparing)
            let old = account.emails.values.filter { record in
                record.email.receivedAt < date && record.email.mailboxIDs.isDisjoint(with: spared)
                    && !account.remotes.names(of: record.email.id).isEmpty
            }
            let oldest = old.sorted {
                ($0.email.receivedAt, $0.email.id) < ($1.email.receivedAt, $1.email.id)
            }
            let leaving = oldest.prefix(max(0, limit))
            let changes = leaving.map { StorageChange.destroyEmail($0.email.id, in: accountID) }
            count = leaving.count
            return try StoreCommit.apply(ChangeSet(changes), to: &contents)
        }
        return count
    }

    public func removeAccount(_ id: Id<Account>) throws(StorageError) {
        try commit { contents throws(StorageError) in
            guard contents.accounts[id] != nil else { return CommitResult(states: []) }
            contents.forget(id)
            contents.lastChange += 1
            contents.revision += 1
            let gone = ChangeHistory.Entry(number: contents.lastChange, id: id.rawValue, kind: .destroyed)
            contents.histories[.init(type: .account), default: ChangeHistory(startingAt: 0)].append([gone])
            let state = contents.state(try contents.history(of: .account, in: nil).current)
            return CommitResult(states: [.init(.account, in: nil, state)])
        }
    }

    public func wipe() throws(StorageError) {
        _ = try contents()
        close()
        disk.erase()
    }

    public func rebuildSearchIndex() throws(StorageError) {
        try change { contents in
            contents.accounts = contents.accounts.mapValues { account in
                var account = account
                account.emails = account.emails.mapValues { record in
                    EmailRecord(record.email, record.body, threadID: record.threadID)
                }
                return account
            }
        }
    }

    public func check() throws(StorageError) -> [String] {
        try contents().accounts.values.flatMap(\.damage)
    }
}

extension AccountContents {
    fileprivate var usage: StorageUsage.PerAccount {
        let insightBytes = insights.values.reduce(0) { $0 + $1.bytes }
        return StorageUsage.PerAccount(
            accountID: account.id, mail: emails.values.reduce(insightBytes) { $0 + $1.mailBytes },
            attachments: blobs.size, searchIndex: emails.values.reduce(0) { $0 + $1.words.bytes })
    }

    fileprivate var clearableInsightBytes: Int {
        insights.values.reduce(0) { $0 + ($1.isCorrected ? 0 : $1.bytes) }
    }

    fileprivate mutating func clearCache(includingInsights: Bool) -> Int {
        var freed = blobs.cachedSize
        blobs.removeCached()
        if includingInsights {
            freed += clearableInsightBytes
            // What the user has corrected cannot be made again.
            insights = insights.filter(\.value.isCorrected)
        }
        return freed
    }

    fileprivate var damage: [String] {
        var findings: [String] = []
        if counts != MailboxCounting(self).all() {
            findings.append("The counts of a mailbox do not match its emails.")
        }
        let threaded = threads.ids.flatMap { id in (threads.emailIDs(of: id) ?? []).map { (id, $0) } }
        if threaded.count != emails.count || threaded.contains(where: { emails[$0.1]?.threadID != $0.0 }) {
            findings.append("The threads do not hold the emails that are in them.")
        }
        if emails.values.contains(where: { !$0.email.mailboxIDs.isSubset(of: mailboxes.keys) }) {
            findings.append("An email is in a mailbox that does not exist.")
        }
        return findings
    }
}

extension EmailInsight {
    fileprivate var bytes: Int { 100 + (summary?.utf8.count ?? 0) + 4 * embedding.count }
}
