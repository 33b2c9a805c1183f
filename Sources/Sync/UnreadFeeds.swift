import Mail
import MailKernelAPI

/// A mailbox that could not be read for a reason of its own: the rest of the account continues.
package struct UnreadFeed: Error {
    let feed: FeedID
    /// Nil where a feed is more than one mailbox.
    let mailbox: String?
    let error: AccountError

    var sentence: String { "\(what) \(error.sentence)" }
    var logSentence: String { "\(what) \(error.logSentence)" }

    private var what: String {
        mailbox.map { "The folder “\($0)” could not be read." } ?? "Some mail could not be read."
    }
}

/// Feeds left out of a sync: their current state is unknown.
package struct UnreadFeeds {
    private var failures: [UnreadFeed] = []

    package var isEmpty: Bool { failures.isEmpty }
    package var first: UnreadFeed? { failures.first }

    mutating func add(_ failure: UnreadFeed) { failures.append(failure) }

    /// Whether mail of one of these mailboxes is read from there.
    package func concern(_ mailboxes: Set<Id<Mailbox>>, _ map: RemoteMap) -> Bool {
        let feeds = Set(failures.map(\.feed))
        return map.feeds.contains { feed in
            guard feeds.contains(feed.id) else { return false }
            // A feed that is more than one mailbox may contain anything.
            guard let mailbox = feed.mailboxID.map({ map.local($0) }) else { return true }
            return mailbox.map(mailboxes.contains) ?? false
        }
    }
}
