import FoundationEssentials
import MailKernelAPI

/// The state needed to find changes of messages that were read before.
struct Look: Sendable {
    let round: FeedRound
    let before: FeedCursor
    let selected: SelectedMailbox
    /// What the server said when the mailbox was selected.
    let opening: IMAPConnection.Result
    /// How many messages there are that were not there before.
    let newCount: Int
    let known: any KnownMessages

    init(_ feed: OpenedFeed, before: FeedCursor, newCount: Int) {
        self.before = before
        self.newCount = newCount
        (round, selected, opening, known) = (feed.round, feed.selected, feed.opening, feed.known)
    }

    /// Messages that were looked at before.
    var old: UIDSet { before.next > 1 ? UIDSet(1...(before.next - 1)) : UIDSet() }
}

/// The messages of the last batches of each feed.
struct RecentMessages {
    private static let batches = 3
    private var ids: [FeedID: [[RemoteMessageID]]] = [:]

    mutating func add(_ batch: [RemoteMessageID], to feed: FeedID) {
        guard !batch.isEmpty else { return }
        ids[feed] = Array((ids[feed, default: []] + [batch]).suffix(Self.batches))
    }

    func messages(of feed: FeedID) -> [RemoteMessageID] { ids[feed, default: []].flatMap { $0 } }
}

/// The reported keywords of a feed's messages.
struct FlagMemory {
    var keywords: [UInt32: Set<Keyword>] = [:]
    /// As the cursor says it that they were told with.
    var told: UInt64 = 0
}

extension IMAPAccountSession {
    func knownChanges(_ look: Look, _ connection: IMAPConnection) async throws(AccountError) -> KnownChanges {
        guard !look.old.isEmpty else { return KnownChanges() }
        guard look.before.modSeq > 0, let modSeq = look.selected.highestModSeq else {
            let before = flagMemory[look.round.feed]
            // Reports that were not stored are repeated, together with everything else.
            let isStored = before?.told == look.before.told
            return try await compareAll(
                look, with: before.flatMap { isStored ? $0 : nil } ?? FlagMemory(), connection)
        }
        // A server that lost its count begins a lower one, and labels are renamed without a count.
        if modSeq < look.before.modSeq || look.before.labels != look.round.labels {
            flagMemory[look.round.feed] = nil
            return try await compareAll(look, with: FlagMemory(), connection)
        }
        var changes = KnownChanges()
        // After an invalid response, the flags are requested again.
        let wasTold = await connection.hasQResync && look.opening.completion.malformed == 0
        if wasTold {
            changes.updates = updates(look.opening.fetched, look)
            changes.removed = try await removed(vanished(look.opening), look)
        }
        if modSeq != look.before.modSeq, !wasTold || look.round.hasLabels {
            let items = look.round.hasLabels ? "UID FLAGS X-GM-LABELS" : "UID FLAGS"
            let answer = try await connection.fetch(look.old, items, changedSince: look.before.modSeq)
            // One answer that is not understood leaves the others.
            guard answer.isOK else { throw answer.error }
            changes.updates = updates(answer.fetched, look)
        }
        // Exact: both counts were taken together with the UIDs that they are about.
        let gone = Int(look.before.exists) + look.newCount - Int(look.selected.exists)
        if !wasTold, gone != 0 {
            let there = Set(try await searchOld(look, connection))
            changes.removed = try await missing(look) { there.contains($0) }
        }
        return changes
    }

    /// For a mailbox read from the beginning: the current flags of all messages, because earlier reports are
    /// invalid.
    func allAnew(
        _ feed: OpenedFeed, _ connection: IMAPConnection
    ) async throws(AccountError) -> KnownChanges {
        var all = feed.cursor
        all.extend(to: feed.next)
        let look = Look(feed, before: all, newCount: 0)
        var changes = try await compareAll(look, with: FlagMemory(), connection)
        changes.mailboxID = feed.round.mailboxID
        return changes
    }

    // MARK: What changed

    private func updates(_ messages: [FetchResponse], _ look: Look) -> [KnownChanges.Update] {
        messages.compactMap { message in
            guard let uid = message.uid, uid < look.before.next, let flags = message.flags,
                !look.round.hasLabels || message.gmailLabels != nil
            else { return nil }
            return KnownChanges.Update(
                id: MessageUID(validity: look.before.validity, uid: uid).id,
                keywords: KeywordFlags.keywords(flags),
                labels: look.round.hasLabels ? message.gmailLabels : nil)
        }
    }

    /// With the mailboxes that the labels are.
    func updates(_ updates: [KnownChanges.Update]) async throws(AccountError) -> [RemoteUpdate] {
        var told: [RemoteUpdate] = []
        told.reserveCapacity(updates.count)
        for update in updates {
            var remote = RemoteUpdate(id: update.id, keywords: update.keywords)
            if let labels = update.labels { remote.mailboxIDs = try await mailboxIDs(ofLabels: labels) }
            told.append(remote)
        }
        return told
    }

    // MARK: What is gone

    private func vanished(_ answer: IMAPConnection.Result) -> UIDSet {
        answer.responses.reduce(into: UIDSet()) { all, response in
            // Others are of the mailbox that was open before.
            if case .vanished(let uids, earlier: true) = response { all = all.union(uids) }
        }
    }

    /// A server that forgot which there were names all that there could have been; only then it is worth
    /// asking what the kernel holds.
    private func removed(_ uids: UIDSet, _ look: Look) async throws(AccountError) -> [RemoteMessageID] {
        let old = uids.limited(to: 1...max(1, look.before.next - 1))
        guard old.count > 20_000 else {
            return old.ascending.map { MessageUID(validity: look.before.validity, uid: $0).id }
        }
        return try await missing(look) { !old.contains($0) }
    }

    /// The messages from before that are still there.
    private func searchOld(_ look: Look, _ connection: IMAPConnection) async throws(AccountError) -> [UInt32]
    {
        let there = try await search(look.old, since: nil, connection)
        // A search that finds nothing, though there are messages, would take all mail away here.
        if there.isEmpty, let now = await connection.selected, !now.hasNewMessages,
            Int(now.exists) > look.newCount
        {
            throw .badAnswer("a search found none of the existing messages")
        }
        return there
    }

    /// The messages that the kernel has but the server no longer does.
    private func missing(
        _ look: Look, isThere: (UInt32) -> Bool
    ) async throws(AccountError) -> [RemoteMessageID] {
        // The kernel may ask for a batch before it has stored the one before.
        var missing = recent.messages(of: look.round.feed).filter { id in
            MessageUID(id).map { !isThere($0.uid) && $0.uid < look.before.next } ?? false
        }
        var last: RemoteMessageID?
        while true {
            let ids: [RemoteMessageID]
            do {
                ids = try await look.known.ids(after: last, limit: 1_000)
            } catch {
                throw AccountError(local: error)
            }
            for id in ids {
                let message = MessageUID(id)
                let isOurs = message?.validity == look.before.validity
                if let uid = message?.uid, isOurs, uid >= look.before.next || isThere(uid) { continue }
                missing.append(id)
            }
            guard let end = ids.last, end != last else { return Array(Set(missing)).sorted() }
            last = end
        }
    }

    // MARK: Servers that do not count changes

    /// Requests the flags of all messages, and reports those that differ from the last report. After a start,
    /// all are reported once.
    private func compareAll(
        _ look: Look, with before: FlagMemory, _ connection: IMAPConnection
    ) async throws(AccountError) -> KnownChanges {
        var now = FlagMemory()
        var updates: [KnownChanges.Update] = []
        let items = look.round.hasLabels ? "UID FLAGS X-GM-LABELS" : "UID FLAGS"
        let unread = look.before.pendingSet
        // Messages older than requested may be stored, and are not gone because of that.
        let all = try await searchOld(look, connection)
        let wanted =
            look.round.since == nil ? all : try await search(look.old, since: look.round.since, connection)
        for page in UIDSet(wanted).pages {
            let answer = try await connection.fetch(page, items)
            guard answer.isOK else { throw answer.error }
            let changed = answer.fetched.filter { message in
                guard let uid = message.uid, let flags = message.flags else { return false }
                let keywords = KeywordFlags.keywords(flags)
                // Unread ones may have changed by then.
                if !unread.contains(uid) { now.keywords[uid] = keywords }
                return look.round.hasLabels || before.keywords[uid] != keywords
            }
            updates += self.updates(changed, look)
        }
        let there = Set(all)
        now.told = look.before.told &+ (updates.isEmpty ? 0 : 1)
        return KnownChanges(
            updates: updates, removed: try await missing(look) { there.contains($0) },
            flags: look.selected.highestModSeq == nil ? now : nil)
    }
}
