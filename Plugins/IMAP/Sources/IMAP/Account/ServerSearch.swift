import FoundationEssentials
public import MailKernelAPI

extension IMAPAccountSession {
    public func search(
        _ filter: EmailFilter, limit: Int
    ) async throws(AccountError) -> [RemoteAddress] {
        guard limit > 0 else { return [] }
        let directory = try await list()
        var found: [(address: RemoteAddress, date: Date)] = []
        for feed in directory.listing.feeds {
            if Task.isCancelled { throw .cancelled }
            guard let source = directory.source(of: feed.id), source.isSelectable,
                let criteria = SearchCriteria(
                    filter, in: source.mailboxID, directory, hasRaw: has("X-GM-EXT-1"))
            else { continue }
            found += try await search(criteria, feed: feed.id, source.name, limit: limit)
        }
        return found.sorted { ($0.date, $0.address.id) > ($1.date, $1.address.id) }.prefix(limit)
            .map(\.address)
    }

    private func search(
        _ criteria: SearchCriteria, feed: FeedID, _ mailbox: MailboxName, limit: Int
    ) async throws(AccountError) -> [(address: RemoteAddress, date: Date)] {
        do throws(AccountError) {
            return try await withMailbox(mailbox) { connection, selected throws(AccountError) in
                // The newest by UID: nearly always also the newest by date.
                let uids = try await connection.search(
                    isASCII: criteria.isASCII, newest: limit, criteria.add
                )
                .sorted(by: >).prefix(limit)
                guard !uids.isEmpty else { return [] }
                let answer = try await connection.fetch(UIDSet(uids), "UID INTERNALDATE").orThrow()
                return answer.fetched.compactMap { message in
                    guard let uid = message.uid, let date = message.internalDate else { return nil }
                    let id = MessageUID(validity: selected.validity, uid: uid).id
                    return (RemoteAddress(feed: feed, id: id), date)
                }
            }
        } catch AccountError.notFound {
            // A mailbox that was deleted in between has no results.
            return []
        }
    }

    public func read(
        _ messages: [RemoteMessageID], feed: FeedID
    ) async throws(AccountError) -> [RemoteMessage] {
        if Task.isCancelled { throw .cancelled }
        let source = try await source(of: feed)
        guard source.isSelectable else { throw .notFound }
        let round = FeedRound(
            feed: feed, mailbox: source.name, mailboxID: source.mailboxID, since: nil, labels: 0)
        let wanted = messages.compactMap { MessageUID($0) }
        var behavior = configuration.behavior
        if wanted.count > 1 {
            // All of them are in memory at the same time.
            let share = max(behavior.wholeMessageLimit, behavior.batchBytes / wanted.count)
            behavior.textLimit = min(behavior.textLimit, share)
        }
        let limited = behavior
        let found = try await withMailbox(source.name) { connection, selected throws(AccountError) in
            let reader = MessageReader(
                connection: connection, behavior: limited, validity: selected.validity, round: round,
                now: self.host.clock.now)
            let uids = Set(wanted.filter { $0.validity == selected.validity }.map(\.uid)).sorted(by: >)
            var rest = uids[...]
            var found: [ReadMessage] = []
            while !rest.isEmpty {
                let batch = try await reader.read(Array(rest))
                found += batch.messages
                rest = rest.dropFirst(max(1, batch.taken))
            }
            return found
        }
        return try await self.messages(found, in: round)
    }
}
