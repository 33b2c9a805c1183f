import MailKernelAPI

extension StoreContents {
    /// The whole result of a query, without its window.
    func allHits(_ query: EmailQuery) -> [EmailQueryResult.Hit] {
        var candidates: [EmailOrder.Candidate] = []
        for id in Set(query.accountIDs).sorted() {
            guard let account = accounts[id] else { continue }
            let matcher = EmailMatcher(query.filter, in: account)
            for record in account.emails.values where matcher.matches(record) {
                candidates.append(EmailOrder.Candidate(record: record, account: account))
            }
        }
        let hits = EmailOrder(query).sorted(candidates).map { record in
            EmailQueryResult.Hit(
                accountID: record.email.accountID, emailID: record.email.id, threadID: record.threadID)
        }
        return query.collapseThreads ? Self.collapsed(hits) : hits
    }

    private struct ThreadKey: Hashable {
        var accountID: Id<Account>
        var threadID: Id<EmailThread>
    }

    private static func collapsed(_ hits: [EmailQueryResult.Hit]) -> [EmailQueryResult.Hit] {
        var seen: Set<ThreadKey> = []
        return hits.filter { seen.insert(ThreadKey(accountID: $0.accountID, threadID: $0.threadID)).inserted }
    }

    func result(of query: EmailQuery, _ hits: [EmailQueryResult.Hit]) throws(StorageError) -> EmailQueryResult
    {
        var start = 0
        switch query.window {
        case .position(let position):
            start = position < 0 ? max(0, hits.count + position) : position
        case .anchor(let id, let offset):
            guard let anchor = hits.firstIndex(where: { $0.emailID == id }) else { throw .anchorNotFound }
            // The offset comes from a client: kept from overflowing.
            start = max(0, anchor + max(-hits.count, min(hits.count, offset)))
        }
        return EmailQueryResult(
            hits: Array(hits.dropFirst(start).prefix(max(0, query.limit))), position: start,
            total: query.calculateTotal ? hits.count : nil, queryState: queryState)
    }
}
