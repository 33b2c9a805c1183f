import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Sets aside what the service called an account's messages at a place that the account has left. Messages are recognized
/// at the new place; everything else that is only known there is forgotten. Runs in small steps before anything is read.
struct LeavingPlace {
    /// Small, so that other writers never wait long.
    private static let step = 200

    let account: Account
    let store: MailStore
    let step: (any RoundStep)?
    let clock: any HostClock
    let log: LogOutput

    func run() async throws {
        guard try await isLeaving else { return }
        try await step?.placeWasLeft(account.id)
        while try await isLeaving {
            try Task.checkCancellation()
            try await store.commitNamed(in: account.id, reading: [.email, FormerPlace.dataType]) {
                try await someChanges()
            }
        }
    }

    private var isLeaving: Bool {
        get async throws(StorageError) {
            try await FormerPlace.load(account.id, from: store)?.phase == .leaving
        }
    }

    private func someChanges() async throws -> [StorageChange] {
        guard var place = try await FormerPlace.load(account.id, from: store), place.phase == .leaving else {
            return []
        }
        var map = try await RemoteMap.load(account.id, from: store)
        let feeds = map.feeds + (map.goneFeeds ?? [])
        for feed in feeds where feed.id != FormerPlace.feed {
            let page = try await store.read.remoteIDs(
                feed: feed.id, after: nil, limit: Self.step, in: account.id)
            guard !page.isEmpty else { continue }
            let emails = try await store.read.emailIDs(for: page, feed: feed.id, in: account.id)
            return page.map { .removeRemote($0, feed: feed.id, in: account.id) }
                + Set(emails.values).sorted().map { FormerPlace.setAside($0, in: account.id) }
        }
        // The features stay until the new place is asked for its own.
        (map.mailboxes, map.feeds, map.goneFeeds, map.hasPlaces) = ([:], [], nil, nil)
        place.phase = .recognizing
        return try await waitingChanges() + feeds.map { FeedSync.forgetCursor(of: $0.id, in: account.id) }
            + [try map.change(for: account.id), try place.change(for: account.id)]
    }

    /// Changes that wait are about emails and mailboxes of this device, or are said otherwise.
    private func waitingChanges() async throws -> [StorageChange] {
        let queue = PendingChanges(store: store, accountID: account.id)
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        var changes = try await UnwantedMailbox.all(in: account.id, store)
            .map { UnwantedMailbox.gone($0.name, account.id) }
        for (name, change) in try await queue.all() {
            switch change.kind {
            case .destroy:
                changes += try (change.lost ?? []).map { try unnamed.destroyed($0, at: clock.now) }
                changes.append(queue.remove(name))
            case .deleteMailbox:
                log.write(
                    .warning, account.pluginID,
                    "A folder whose deletion was waiting is still at the new server of the account.")
                changes.append(queue.remove(name))
            case .renameMailbox(let id, _) where try await isGone(id): changes.append(queue.remove(name))
            case .append, .createMailbox, .update, .renameMailbox:
                changes.append(try queue.put(change.begunAgain, name: name))
            }
        }
        return changes
    }

    private func isGone(_ id: Id<Mailbox>) async throws(StorageError) -> Bool {
        try await store.read.mailboxes([id], in: account.id).isEmpty
    }
}

extension PendingChange {
    /// The same change where nothing was tried yet. An added message may be there all the same, if it is the same mail.
    fileprivate var begunAgain: PendingChange {
        var change = self
        (change.tries, change.nextTryAt, change.waits, change.isParked, change.named) = (
            0, nil, nil, nil, nil
        )
        if case .update = kind { change.mayBeThere = nil }
        return change
    }
}
