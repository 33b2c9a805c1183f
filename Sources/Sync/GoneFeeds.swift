import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Removes the data of feeds that are gone: their mail is now reported by other feeds, or by none. Otherwise
/// it would be duplicated, and later mail under an old id would be considered known.
///
/// Nothing changes on the service. Runs in small steps, because a feed may contain all of an account's mail.
struct GoneFeeds {
    /// Small, so that other writers never wait long.
    private static let step = 200

    let account: Account
    let store: MailStore
    let clock: any HostClock

    func forget() async throws {
        while try await RemoteMap.load(account.id, from: store).goneFeeds?.isEmpty == false {
            try await store.commitNamed(in: account.id) { try await someChanges() }
        }
    }

    private func someChanges() async throws -> [StorageChange] {
        var map = try await RemoteMap.load(account.id, from: store)
        guard let feed = map.goneFeeds?.first else { return [] }
        let page = try await store.read.remoteIDs(
            feed: feed.id, after: nil, limit: Self.step, in: account.id)
        guard !page.isEmpty else {
            map.goneFeeds?.removeFirst()
            return [try map.change(for: account.id), FeedSync.forgetCursor(of: feed.id, in: account.id)]
        }
        let held = try await store.read.emailIDs(for: page, feed: feed.id, in: account.id)
        let ids = Set(held.values).sorted()
        let elsewhere = try await idsHeldElsewhere(ids, map)
        let pending = try await PendingChanges(store: store, accountID: account.id).all().map(\.change)
        let traces = try await LocalTraces.load(account.id, pending, from: store)
        let underWay = Set(pending.flatMap(\.emailsThatMayBeThere))
        let emails = try await store.read.emails(ids, in: account.id).map(\.email)
        let mailbox = feed.mailboxID.flatMap { map.local($0) }
        // What was not asked for at an account's new place may be there.
        let start = feed.id == FormerPlace.feed ? account.windowStart(at: clock.now) : nil
        var destroyed: Set<Id<Email>> = []
        var changes: [StorageChange] = []
        for email in emails {
            if elsewhere.contains(email.id) {
                guard let mailbox, email.mailboxIDs.count > 1, email.mailboxIDs.contains(mailbox) else {
                    continue
                }
                changes.append(
                    .updateEmail(EmailUpdate(email.id, in: account.id, removeMailboxes: [mailbox])))
            } else if underWay.contains(email.id) || start.map({ email.receivedAt < $0 }) ?? false {
                continue
            } else if traces.areOn(email) {
                // It must be recognized when the service reports it again.
                let unnamed = UnnamedEmails(store: store, accountID: account.id)
                changes.append(try unnamed.awaiting(email, at: clock.now))
            } else {
                destroyed.insert(email.id)
                changes.append(.destroyEmail(email.id, in: account.id))
            }
        }
        changes += page.filter { id in held[id].map { !destroyed.contains($0) } ?? true }
            .map { .removeRemote($0, feed: feed.id, in: account.id) }
        return changes
    }

    private func idsHeldElsewhere(
        _ ids: [Id<Email>], _ map: RemoteMap
    ) async throws(StorageError) -> Set<Id<Email>> {
        let gone = Set((map.goneFeeds ?? []).map(\.id))
        let refs = try await store.read.remoteRefs(of: ids, in: account.id)
        return Set(refs.filter { !gone.contains($0.feed) }.map(\.emailID))
    }
}
