import MailKernelAPI

/// What the provider calls the emails of one account: one name per email and feed.
struct RemoteIndex: Sendable {
    private var emailIDs: [FeedID: [RemoteMessageID: Id<Email>]] = [:]
    private var names: [Id<Email>: [FeedID: RemoteMessageID]] = [:]

    mutating func put(_ ref: RemoteRef) {
        if let former = names[ref.emailID]?[ref.feed] { emailIDs[ref.feed]?[former] = nil }
        if let former = emailIDs[ref.feed]?[ref.remoteID] { names[former]?[ref.feed] = nil }
        emailIDs[ref.feed, default: [:]][ref.remoteID] = ref.emailID
        names[ref.emailID, default: [:]][ref.feed] = ref.remoteID
    }

    mutating func remove(_ remoteID: RemoteMessageID, feed: FeedID) {
        guard let emailID = emailIDs[feed]?.removeValue(forKey: remoteID) else { return }
        names[emailID]?[feed] = nil
    }

    mutating func removeAll(of emailID: Id<Email>) {
        for (feed, remoteID) in names.removeValue(forKey: emailID) ?? [:] {
            emailIDs[feed]?[remoteID] = nil
        }
    }

    func emailID(_ remoteID: RemoteMessageID, feed: FeedID) -> Id<Email>? {
        emailIDs[feed]?[remoteID]
    }

    func names(of emailID: Id<Email>) -> [(feed: FeedID, remoteID: RemoteMessageID)] {
        (names[emailID] ?? [:]).map { ($0.key, $0.value) }.sorted { $0.feed < $1.feed }
    }

    func remoteIDs(feed: FeedID, after: RemoteMessageID?, limit: Int) -> [RemoteMessageID] {
        let all = (emailIDs[feed] ?? [:]).keys.sorted()
        return Array(all.filter { id in after.map { $0 < id } ?? true }.prefix(max(0, limit)))
    }
}
