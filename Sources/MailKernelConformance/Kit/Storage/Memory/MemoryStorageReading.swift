import FoundationEssentials
public import MailKernelAPI
import StoreRules

extension MemoryStorage {
    public func accounts() throws(StorageError) -> [Account] {
        try contents().accounts.values.map(\.account).sorted { ($0.addedAt, $0.id) < ($1.addedAt, $1.id) }
    }

    public func mailboxes(
        _ ids: [Id<Mailbox>]?, in accountID: Id<Account>
    ) throws(StorageError) -> [StoredMailbox] {
        guard let account = try contents().accounts[accountID] else { return [] }
        if let ids { return ids.compactMap(account.storedMailbox) }
        let all = account.mailboxes.values.sorted { ($0.sortOrder, $0.id) < ($1.sortOrder, $1.id) }
        return all.compactMap { account.storedMailbox($0.id) }
    }

    public func emails(_ ids: [Id<Email>], in accountID: Id<Account>) throws(StorageError) -> [StoredEmail] {
        guard let account = try contents().accounts[accountID] else { return [] }
        return ids.compactMap { account.emails[$0]?.stored }
    }

    public func body(of id: Id<Email>, in accountID: Id<Account>) throws(StorageError) -> EmailBody? {
        try contents().accounts[accountID]?.emails[id]?.body
    }

    public func threads(
        _ ids: [Id<EmailThread>], in accountID: Id<Account>
    ) throws(StorageError) -> [EmailThread] {
        guard let account = try contents().accounts[accountID] else { return [] }
        return ids.compactMap(account.thread)
    }

    public func identities(
        _ ids: [Id<Identity>]?, in accountID: Id<Account>
    ) throws(StorageError) -> [Identity] {
        guard let account = try contents().accounts[accountID] else { return [] }
        return (ids ?? account.identities.keys.sorted()).compactMap { account.identities[$0] }
    }

    public func submissions(
        _ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>
    ) throws(StorageError) -> [EmailSubmission] {
        guard let account = try contents().accounts[accountID] else { return [] }
        if let ids { return ids.compactMap { account.submissions[$0] } }
        return account.submissions.values.sorted { ($0.queuedAt, $0.id) < ($1.queuedAt, $1.id) }
    }

    public func queryEmails(_ query: EmailQuery) throws(StorageError) -> EmailQueryResult {
        try query.filter?.checkSize()
        let contents = try contents()
        let hits = contents.allHits(query)
        queries.remember(hits, of: query, at: contents.queryState)
        return try contents.result(of: query, hits)
    }

    public func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) throws(StorageError) -> EmailQueryChanges {
        try query.filter?.checkSize()
        let contents = try contents()
        // Ids are unique within an account only, and the answer does not name accounts.
        guard query.accountIDs.count == 1, let old = queries.result(of: query, at: state) else {
            throw .cannotCalculateChanges
        }
        let hits = contents.allHits(query)
        let (removed, added) = QueryMemory.difference(from: old, to: hits.map(\.emailID))
        guard removed.count + added.count <= limit else { throw .cannotCalculateChanges }
        queries.remember(hits, of: query, at: contents.queryState)
        return EmailQueryChanges(
            oldState: state, newState: contents.queryState, removed: removed, added: added,
            total: query.calculateTotal ? hits.count : nil)
    }

    public func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) throws(StorageError) -> [SearchSnippet] {
        try filter.checkSize()
        guard let account = try contents().accounts[accountID] else { return [] }
        let maker = SnippetMaker(filter)
        return emailIDs.compactMap { account.emails[$0] }.map { maker.snippet(of: $0.email, $0.body) }
    }
}
