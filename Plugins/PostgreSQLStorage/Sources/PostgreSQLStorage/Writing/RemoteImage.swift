import MailKernelAPI

/// What services call emails, as far as a commit changes it. One name per email and feed, one email per name: the later
/// one replaces both.
struct RemoteImage {
    private struct Feed {
        /// Those whose rows are replaced.
        var remotes: Set<RemoteMessageID> = []
        var emails: Set<Id<Email>> = []
        var email: [RemoteMessageID: Id<Email>] = [:]
        var remote: [Id<Email>: RemoteMessageID] = [:]

        mutating func remove(_ id: RemoteMessageID) {
            if let email = email.removeValue(forKey: id) { remote[email] = nil }
        }

        mutating func remove(_ id: Id<Email>) {
            if let remote = remote.removeValue(forKey: id) { email[remote] = nil }
        }
    }

    private var feeds: [FeedID: Feed] = [:]
    private var gone: Set<Id<Email>> = []

    mutating func put(_ ref: RemoteRef) {
        var feed = feeds[ref.feed] ?? Feed()
        feed.remotes.insert(ref.remoteID)
        feed.emails.insert(ref.emailID)
        feed.remove(ref.remoteID)
        feed.remove(ref.emailID)
        feed.email[ref.remoteID] = ref.emailID
        feed.remote[ref.emailID] = ref.remoteID
        feeds[ref.feed] = feed
    }

    mutating func remove(_ id: RemoteMessageID, _ feed: FeedID) {
        feeds[feed, default: Feed()].remotes.insert(id)
        feeds[feed]?.remove(id)
    }

    mutating func remove(_ email: Id<Email>) {
        gone.insert(email)
        for feed in feeds.keys { feeds[feed]?.remove(email) }
    }

    func write(_ connection: Connection, _ account: Int) throws(StorageError) {
        if !gone.isEmpty {
            try connection.send(
                "DELETE FROM remote WHERE account = $1 AND email = ANY ($2)", .integer(account), .ids(gone))
        }
        for (id, feed) in feeds.sorted(by: { $0.key < $1.key }) {
            try connection.send(
                "DELETE FROM remote WHERE account = $1 AND feed = $2 AND remote = ANY ($3)",
                .integer(account), .id(id), .ids(feed.remotes))
            guard !feed.emails.isEmpty else { continue }
            try connection.send(
                "DELETE FROM remote WHERE account = $1 AND feed = $2 AND email = ANY ($3)", .integer(account),
                .id(id), .ids(feed.emails))
            let new = feed.email.sorted { $0.key < $1.key }
            try connection.send(
                "INSERT INTO remote SELECT $1, $2, * FROM unnest($3::bytea[], $4::bytea[])",
                .integer(account),
                .id(id), .ids(new.map(\.key)), .ids(new.map(\.value)))
        }
    }
}
