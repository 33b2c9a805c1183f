import FoundationEssentials
import MailKernelAPI

/// Changes of messages that were read before.
struct KnownChanges: Sendable {
    struct Update: Sendable {
        let id: RemoteMessageID
        let keywords: Set<Keyword>
        /// Nil where the server has none.
        let labels: [String]?
    }

    var updates: [Update] = []
    var removed: [RemoteMessageID] = []
    /// The flags to remember after this report; nil if the server counts changes.
    var flags: FlagMemory?
    /// The mailbox of all messages, if it is reported as well.
    var mailboxID: RemoteMailboxID?
}

extension IMAPAccountSession {
    /// Examines a feed: changes, removals, and the first new messages.
    func beginRound(
        _ round: FeedRound, _ before: FeedCursor?, _ known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        let (read, changes) = try await withConnection(preferring: round.mailbox) {
            connection throws(AccountError) in
            try await self.beginRound(round, before, known, connection)
        }
        var updates = try await updates(changes.updates)
        if let mailboxID = changes.mailboxID {
            for index in updates.indices { updates[index].mailboxIDs = [mailboxID] }
        }
        var batch = try await handOut(read, round)
        batch.updates = updates
        batch.removed = changes.removed
        if let flags = changes.flags { flagMemory[round.feed] = flags }
        return batch
    }

    private func beginRound(
        _ round: FeedRound, _ before: FeedCursor?, _ known: any KnownMessages,
        _ connection: IMAPConnection
    ) async throws(AccountError) -> (read: ReadAhead, changes: KnownChanges) {
        statuses.forget(round.mailbox)
        let feed = try await open(round, before, known, connection)
        let new = try await newMessages(feed, connection)
        let changes = try await changes(feed, new, connection)
        var cursor = feed.cursor
        if let flags = changes.flags { cursor.told = flags.told }
        if let before, before.sinceDay > cursor.sinceDay { cursor.restart() }
        if cursor.failed.isEmpty { skipped[round.feed] = nil }
        if isDueAgain(cursor, round.feed) {
            skipped[round.feed, default: SkippedMail(triedAt: host.clock.now)].retry(at: host.clock.now)
            cursor.takeUpFailed()
        }
        let plan = try await plan(feed, cursor, new, connection)
        return (try await read(plan, round, connection), changes)
    }

    private func open(
        _ round: FeedRound, _ before: FeedCursor?, _ known: any KnownMessages, _ connection: IMAPConnection
    ) async throws(AccountError) -> OpenedFeed {
        let opening = try await select(round, before, connection)
        guard let selected = await connection.selected else { throw .notFound }
        let validity = selected.validity
        if let before, before.validity != validity { throw .cursorExpired }
        return OpenedFeed(
            round: round, before: before, known: known, selected: selected, opening: opening,
            validity: validity, next: try await nextUID(selected, connection),
            isAnew: before == nil ? try await isHeld(known) : false)
    }

    private func isHeld(_ known: any KnownMessages) async throws(AccountError) -> Bool {
        do {
            return try await !known.ids(after: nil, limit: 1).isEmpty
        } catch {
            throw AccountError(local: error)
        }
    }

    /// The UIDs of new messages, newest first. With a sync window, they are found together with the rest of
    /// the mailbox.
    private func newMessages(
        _ feed: OpenedFeed, _ connection: IMAPConnection
    ) async throws(AccountError) -> [UInt32] {
        let first = feed.before?.next ?? 1
        guard feed.before != nil || feed.round.since == nil, feed.next > first else { return [] }
        let uids = try await search(from: first, below: feed.next, connection)
        if uids.isEmpty { try await checkThatThereIsNone(feed.before?.exists ?? 0, connection) }
        return uids
    }

    private func changes(
        _ feed: OpenedFeed, _ new: [UInt32], _ connection: IMAPConnection
    ) async throws(AccountError) -> KnownChanges {
        if feed.isAnew, feed.next > 1 { return try await allAnew(feed, connection) }
        var changes = KnownChanges()
        if let before = feed.before {
            changes = try await knownChanges(Look(feed, before: before, newCount: new.count), connection)
        }
        changes.removed += try await goneUnseen(
            MessageUID(validity: feed.validity, uid: feed.before?.next ?? 1), below: feed.next,
            feed.before == nil ? nil : new, feed.known, connection)
        return changes
    }

    /// Messages from `first` that the kernel has but the server does not, although they were never read: the
    /// kernel added them, and another client removed them. For a mailbox read from the beginning, these are
    /// all earlier messages, including those under a different UIDVALIDITY.
    private func goneUnseen(
        _ first: MessageUID, below next: UInt32, _ there: [UInt32]?, _ known: any KnownMessages,
        _ connection: IMAPConnection
    ) async throws(AccountError) -> [RemoteMessageID] {
        var last = first.uid > 1 ? MessageUID(validity: first.validity, uid: first.uid - 1).id : nil
        var there = there.map(Set.init) ?? (next > 1 ? nil : [])
        var gone: [RemoteMessageID] = []
        while true {
            let held: [RemoteMessageID]
            do {
                held = try await known.ids(after: last, limit: 1_000)
            } catch {
                throw AccountError(local: error)
            }
            guard let end = held.last, end != last else { return gone }
            if there == nil { there = Set(try await search(from: 1, below: next, connection)) }
            gone += held.filter { id in
                guard let uid = MessageUID(id), uid.validity == first.validity else { return true }
                return uid.uid < next && there?.contains(uid.uid) == false
            }
            last = end
        }
    }

    /// Selects the mailbox again, which returns changes if the server tracks them.
    private func select(
        _ round: FeedRound, _ before: FeedCursor?, _ connection: IMAPConnection
    ) async throws(AccountError) -> IMAPConnection.Result {
        let hasCondStore = await connection.capabilities.contains("CONDSTORE")
        var knows: (validity: UInt32, modSeq: UInt64)?
        if let before, before.modSeq > 0, await connection.hasQResync {
            knows = (before.validity, before.modSeq)
        }
        let answer = try await connection.perform(
            .select(round.mailbox, condStore: hasCondStore, knows: knows))
        guard answer.isOK else {
            guard case .refused = answer.error else { throw answer.error }
            // Servers have many errors for missing mailboxes; a listed mailbox exists, although it may be
            // another user's without access.
            if try await list(connection).source(of: round.feed) == nil || answer.isForbidden {
                throw .notFound
            }
            throw answer.error
        }
        return answer.ofOpenedMailbox
    }

    /// Throws if the search found nothing although messages arrived: they would be skipped for good.
    private func checkThatThereIsNone(
        _ known: UInt32, _ connection: IMAPConnection
    ) async throws(AccountError) {
        guard let now = await connection.selected, now.exists > known, !now.hasNewMessages else { return }
        throw .badAnswer("a search found none of the existing messages")
    }

    /// The lowest UID that no message has yet.
    private func nextUID(
        _ selected: SelectedMailbox, _ connection: IMAPConnection
    ) async throws(AccountError) -> UInt32 {
        if let next = selected.uidNext { return next }
        guard selected.exists > 0 else { return 1 }
        let fetch = await connection.hasUIDsOnly ? "UID FETCH" : "FETCH"
        let answer = try await connection.perform(Command(fetch).raw("*").raw("(UID)")).orThrow()
        let last = answer.fetched.compactMap(\.uid).max() ?? 0
        return last == .max ? last : last + 1
    }

    // MARK: Searching for what is there

    /// The UIDs that there are from `first` on and below `next`, the newest first.
    private func search(
        from first: UInt32, below next: UInt32, _ connection: IMAPConnection
    ) async throws(AccountError) -> [UInt32] {
        try await search(UIDSet(first...(next - 1)), since: nil, connection)
    }

    func search(
        _ uids: UIDSet, since: Date?, _ connection: IMAPConnection
    ) async throws(AccountError) -> [UInt32] {
        let found = try await connection.searched { command in
            let command = command.raw("UID").raw(uids.wire)
            // A day early, because servers compare dates in their own time zone.
            return since.map { command.raw("SINCE").raw(IMAPDate.day($0 - 86_400)) } ?? command
        }
        if let found { return found.filter(uids.contains).sorted(by: >) }
        // A missing response does not mean that there are no messages: they would be skipped or removed.
        let answer = try await connection.fetch(uids, "UID").orThrow()
        return answer.fetched.compactMap(\.uid).filter(uids.contains).sorted(by: >)
    }
}

extension IMAPConnection.Result {
    /// The part of a response to `SELECT` about the newly opened mailbox: everything before `CLOSED` is about
    /// the previous one (RFC 7162).
    fileprivate var ofOpenedMailbox: Self {
        let closed = responses.lastIndex { response in
            if case .status(let status) = response { status.code == .word("CLOSED") } else { false }
        }
        guard let closed else { return self }
        return Self(completion: completion, responses: Array(responses[(closed + 1)...]))
    }
}

extension IMAPConnection {
    /// The UIDs that match, in no order.
    ///
    /// - Parameter newest: how many are wanted, from the newest on. There may be more.
    func search(
        isASCII: Bool = true, newest: Int? = nil, _ criteria: @Sendable (Command) -> Command
    ) async throws(AccountError) -> [UInt32] {
        try await searched(isASCII: isASCII, newest: newest, criteria) ?? []
    }

    /// The same; nil if the server said that it has searched, and nothing else.
    func searched(
        isASCII: Bool = true, newest: Int? = nil, _ criteria: @Sendable (Command) -> Command
    ) async throws(AccountError) -> [UInt32]? {
        let isExtended = capabilities.contains("ESEARCH")
        let newest = isExtended && capabilities.contains("PARTIAL") ? newest : nil
        let answer = try await searchAll(
            { Command.search(extended: isExtended, newest: newest, isASCII: isASCII, $0) }, criteria)
        let isTold = answer.responses.contains { response in
            switch response {
            case .search, .extendedSearch: true
            default: false
            }
        }
        return isTold ? try uids(answer) : nil
    }

    private static let mostMessages = 10_000_000

    func uids(_ answer: Result) throws(AccountError) -> [UInt32] {
        var found: [UInt32] = []
        for response in answer.responses {
            switch response {
            case .search(let numbers, _): found += numbers
            case .extendedSearch(let search):
                // A few bytes can name very many: no more than there are messages, with some to spare, and no
                // more than any mailbox has, for how many there are the server says too.
                let most = min(Int(selected?.exists ?? 0), Self.mostMessages) + 10_000
                guard search.all.count <= most else {
                    throw .badAnswer("a search found more messages than exist")
                }
                found += search.all.ascending
            default: break
            }
        }
        return found
    }
}
