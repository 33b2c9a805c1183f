import FoundationEssentials
import MailKernelAPI

/// The mailbox of a feed, as a round finds it.
struct OpenedFeed: Sendable {
    let round: FeedRound
    /// How far it was read; nil at the beginning.
    let before: FeedCursor?
    let known: any KnownMessages
    let selected: SelectedMailbox
    /// What the server said when the mailbox was selected.
    let opening: IMAPConnection.Result
    let validity: UInt32
    /// The lowest UID that no message has yet.
    let next: UInt32
    /// The kernel has messages of the feed, but its cursor is no longer valid.
    let isAnew: Bool

    /// The cursor before anything that is new is read.
    var cursor: FeedCursor {
        let modSeq = selected.highestModSeq ?? 0
        var cursor =
            before
            ?? FeedCursor(validity: validity, next: 1, modSeq: modSeq, exists: selected.exists, sinceDay: 0)
        cursor.modSeq = modSeq
        cursor.exists = selected.exists
        cursor.sinceDay = FeedCursor.day(round.since)
        cursor.labels = round.labels
        return cursor
    }

    fileprivate var isFirst: Bool { before == nil && !isAnew }
}

extension IMAPConnection {
    /// Servers refuse smaller ones.
    private static var smallestBatch: Int { 500 }

    /// Where the newest messages begin. Servers that cannot tell have about as many as UIDs.
    fileprivate func beginOfNewest(below next: UInt32, of count: UInt32) async throws(AccountError) -> UInt32
    {
        let usual = next > count ? next - count : 1
        guard capabilities.contains("UIDBATCHES") else { return usual }
        let answer = try await perform(.newestBatch(of: Self.smallestBatch))
        for case .uidBatches(let ranges) in answer.responses where answer.isOK {
            // Messages that came in the meantime are of the next round.
            if let first = ranges.first?.lowerBound, first < next { return max(1, first) }
        }
        return usual
    }
}

/// Decides what is read, and in which order.
extension IMAPAccountSession {
    /// So many UIDs from the newest on have enough messages for a first batch, nearly always.
    private static var newest: UInt32 { 1_000 }

    /// - Parameter new: the new messages found so far.
    func plan(
        _ feed: OpenedFeed, _ cursor: FeedCursor, _ new: [UInt32], _ connection: IMAPConnection
    ) async throws(AccountError) -> ReadingPlan {
        let left = cursor.pendingSet
        var cursor = cursor
        cursor.extend(to: feed.next)
        let since = feed.round.since
        if feed.isFirst, let inbox = try await newestOfInbox(feed, connection) {
            return ReadingPlan(
                cursor: cursor, since: since, uids: inbox, first: feed.next, done: 0, total: nil)
        }
        let isLarge = feed.selected.exists > configuration.behavior.largeMailbox
        if feed.isFirst, isLarge, since != nil, feed.next > 1 {
            return try await newestOfMany(feed, cursor, connection)
        }
        var uids = new
        if feed.before == nil {
            if since != nil, feed.next > 1 {
                uids = try await search(UIDSet(1...(feed.next - 1)), since: since, connection)
            }
            if feed.isAnew { uids = try await unknown(uids, feed) }
        } else if !left.isEmpty {
            uids += try await unknown(try await search(left, since: since, connection), feed)
        }
        return ReadingPlan(cursor: cursor, since: since, uids: uids, first: 1, done: 0, total: uids.count)
    }

    /// If one feed has all mail, the newest messages of the inbox come first; nil if no separate batch is
    /// needed.
    private func newestOfInbox(
        _ feed: OpenedFeed, _ connection: IMAPConnection
    ) async throws(AccountError) -> [UInt32]? {
        let count = configuration.behavior.firstBatch
        guard feed.round.hasLabels, Int(feed.selected.exists) > count else { return nil }
        let found: [UInt32]
        do throws(AccountError) {
            found = try await connection.search { command in
                let command = command.raw("X-GM-LABELS").astring("\\Inbox")
                return feed.round.since.map { command.raw("SINCE").raw(IMAPDate.day($0 - 86_400)) } ?? command
            }
        } catch {
            // All of it can be read without.
            guard case .refused = error else { throw error }
            return nil
        }
        // Newer messages belong to the next round.
        let newest = found.filter { $0 < feed.next }.sorted(by: >).prefix(count)
        return newest.isEmpty ? nil : Array(newest)
    }

    /// The rest is left to the next round.
    private func newestOfMany(
        _ feed: OpenedFeed, _ cursor: FeedCursor, _ connection: IMAPConnection
    ) async throws(AccountError) -> ReadingPlan {
        let first = try await connection.beginOfNewest(below: feed.next, of: Self.newest)
        let since = feed.round.since
        let found = try await search(UIDSet(first...(feed.next - 1)), since: since, connection)
        let uids = Array(found.prefix(configuration.behavior.firstBatch))
        return ReadingPlan(
            cursor: cursor, since: since, uids: uids, first: uids.last ?? first, done: 0, total: nil)
    }

    /// The messages that the kernel does not have: when a feed is read again, it has some.
    private func unknown(
        _ uids: [UInt32], _ feed: OpenedFeed
    ) async throws(AccountError) -> [UInt32] {
        func id(_ uid: UInt32) -> RemoteMessageID { MessageUID(validity: feed.validity, uid: uid).id }
        var unknown: [UInt32] = []
        for some in uids.slices(of: 1_000) {
            do {
                let held = try await feed.known.contains(some.map(id))
                unknown += some.filter { !held.contains(id($0)) }
            } catch {
                throw AccountError(local: error)
            }
        }
        return unknown
    }
}
