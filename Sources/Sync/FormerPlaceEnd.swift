import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Ends the recognizing of an account's mail, once all was read at the new place: what is not there is treated like mail
/// that another program removed. If that is more than was found, the mail is probably still on its way to the new server:
/// then nothing is removed, and the rest is recognized as it comes.
struct FormerPlaceEnd {
    private static let page = 1_000

    let account: Account
    let store: MailStore
    let clock: any HostClock

    func run() async throws {
        let missing = try await missing
        try await store.commitNamed(in: account.id, reading: [FormerPlace.dataType]) {
            guard var place = try await FormerPlace.load(account.id, from: store), place.phase != .leaving
            else {
                return []
            }
            guard missing > place.recognized else {
                var map = try await RemoteMap.load(account.id, from: store)
                map.goneFeeds = (map.goneFeeds ?? []) + [Feed(id: FormerPlace.feed)]
                return [
                    try map.change(for: account.id), FormerPlace.forgotten(account.id),
                    .destroyDocument(Notices.key(noticeID)),
                ]
            }
            guard place.phase == .recognizing else { return [] }
            place.phase = .held
            let notice = Notice(
                account: account,
                text:
                    "Most of the mail of \(account.address) was not found at its new server. It stays on this device. "
                    + "If the account should use the old server, change how it signs in.", at: clock.now)
            return [try place.change(for: account.id), try notice.change(id: noticeID)]
        }
        try await GoneFeeds(account: account, store: store, clock: clock).forget()
    }

    private var noticeID: String { "former-place-\(account.id.rawValue)" }

    /// How many messages were not found, without those that are too old to be read.
    private var missing: Int {
        get async throws {
            let start = account.windowStart(at: clock.now)
            var (count, last) = (0, RemoteMessageID?.none)
            while true {
                let page = try await store.read.remoteIDs(
                    feed: FormerPlace.feed, after: last, limit: Self.page, in: account.id)
                guard let end = page.last else { return count }
                last = end
                guard let start else {
                    count += page.count
                    continue
                }
                let ids = try await store.read.emailIDs(for: page, feed: FormerPlace.feed, in: account.id)
                count += try await store.read.emails(Set(ids.values).sorted(), in: account.id)
                    .count { $0.email.receivedAt >= start }
            }
        }
    }
}
