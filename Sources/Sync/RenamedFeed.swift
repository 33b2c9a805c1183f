import Mail
import MailKernelAPI
import Store

/// A mailbox that was renamed here, and whose mail the service now reports under a different feed: its data,
/// state and pending changes are transferred. Otherwise all of its mail would be duplicated.
struct RenamedFeed {
    let old: FeedID
    let new: FeedID

    /// Those among the feeds that are gone whose mailbox has another one now.
    static func all(in before: [Feed], now: [Feed]) -> [RenamedFeed] {
        before.compactMap { feed in
            guard let mailbox = feed.mailboxID, !now.contains(where: { $0.id == feed.id }) else { return nil }
            return now.first { $0.mailboxID == mailbox }.map { RenamedFeed(old: feed.id, new: $0.id) }
        }
    }

    func changes(
        in accountID: Id<Account>, _ store: MailStore, _ pending: [(name: String, change: PendingChange)]
    ) async throws -> [StorageChange] {
        var changes = try await FeedSync.carryCursor(from: old, to: new, in: accountID, store)
        var last: RemoteMessageID?
        while true {
            let page = try await store.read.remoteIDs(
                feed: old, after: last, limit: 1_000, in: accountID)
            guard let end = page.last else { break }
            last = end
            let emails = try await store.read.emailIDs(for: page, feed: old, in: accountID)
            for id in page {
                guard let email = emails[id] else { continue }
                changes.append(.removeRemote(id, feed: old, in: accountID))
                changes.append(
                    .putRemote(RemoteRef(emailID: email, accountID: accountID, feed: new, remoteID: id)))
            }
        }
        let queue = PendingChanges(store: store, accountID: accountID)
        for (name, change) in pending {
            guard case .destroy(let addresses) = change.kind, addresses.contains(where: { $0.feed == old })
            else { continue }
            var renamed = change
            renamed.kind = .destroy(
                addresses.map { $0.feed == old ? RemoteAddress(feed: new, id: $0.id) : $0 })
            changes.append(try queue.put(renamed, name: name))
        }
        return changes
    }
}
