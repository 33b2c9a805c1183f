import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Reads the changes of all of an account's feeds.
struct AccountReading: Sendable {
    let account: Account
    let session: any AccountSession
    let store: MailStore
    let ids: IDMaker
    let clock: any HostClock
    let log: LogOutput
    let epoch: SyncEpoch

    /// Returns the feeds that could not be read. The rest is read anyway.
    func read(
        _ map: RemoteMap, progress report: @escaping @Sendable (SyncProgress?, Id<Mailbox>?) async -> Void
    ) async throws -> UnreadFeeds {
        var unread = UnreadFeeds()
        // Whether a move has happened shows in the mailbox that it leaves.
        let pending = try await PendingChanges(store: store, accountID: account.id).all().map(\.change)
        let left = Set(pending.flatMap(\.mailboxesThatMayBeLeft))
        func rank(_ feed: Feed) -> Int {
            feed.mailboxID.flatMap { map.local($0) }.map(left.contains) == true ? 0 : 1
        }
        let recognizer = try await Recognizer.load(account.id, from: store)
        for feed in map.feeds.sorted(by: {
            (rank($0), $0.priority, $0.id) < (rank($1), $1.priority, $1.id)
        }) {
            try Task.checkCancellation()
            let reader = FeedSync(
                account: account, session: session, store: store, ids: ids, clock: clock, log: log,
                feed: feed, isLocal: map.features.contains(.local), epoch: epoch, recognizer: recognizer)
            let mailbox = feed.mailboxID.flatMap { map.local($0) }
            do {
                try await reader.read { progress in await report(progress, mailbox) }
            } catch {
                guard let error = error as? AccountError, !error.concernsWholeAccount else { throw error }
                let name = try await store.read.mailboxes(mailbox.map { [$0] } ?? [], in: account.id)
                    .first?.mailbox.name
                let failure = UnreadFeed(feed: feed.id, mailbox: name, error: error)
                log.write(.warning, account.pluginID, failure.logSentence)
                unread.add(failure)
            }
        }
        return unread
    }
}
