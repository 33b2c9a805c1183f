import MailKernelAPI

/// A mailbox that could not be read, for a reason that is its own: the rest of the account goes on.
struct UnreadFeed: Error {
    let feed: FeedID
    /// Nil where a feed is more than one mailbox.
    let mailbox: String?
    let error: AccountError

    var sentence: String { "\(what) \(error.sentence)" }
    var logSentence: String { "\(what) \(error.logSentence)" }

    private var what: String {
        mailbox.map { "The mailbox “\($0)” could not be read." } ?? "Some mail could not be read."
    }
}

/// What a reading of an account has left out: nothing is known of what has happened there.
struct UnreadFeeds {
    private var failures: [UnreadFeed] = []

    var isEmpty: Bool { failures.isEmpty }
    var first: UnreadFeed? { failures.first }

    mutating func add(_ failure: UnreadFeed) { failures.append(failure) }

    /// Whether mail of one of these mailboxes is read from there.
    func concern(_ mailboxes: Set<Id<Mailbox>>, _ map: RemoteMap) -> Bool {
        let feeds = Set(failures.map(\.feed))
        return map.feeds.contains { feed in
            guard feeds.contains(feed.id) else { return false }
            // One that is more than one mailbox can hold anything.
            guard let mailbox = feed.mailboxID.map({ map.local($0) }) else { return true }
            return mailbox.map(mailboxes.contains) ?? false
        }
    }
}
