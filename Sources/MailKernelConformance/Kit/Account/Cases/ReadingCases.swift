import FoundationEssentials
import MailKernelAPI

/// What a sync promises, tried on the mail of an account that takes none: the other cases make their own.
let readingCases: [ConformanceCase] = [
    accountCase(
        "mailThatIsThereComesOnce", "In a read-only account, each message is reported once, unchanged."
    ) { trial in
        let mailboxes = Set(try await trial.mailboxes().map(\.id))
        for read in try await trial.mailThatIsThere() {
            try expectEqual(
                Set(read.mirror.arrivals).count, read.mirror.arrivals.count,
                "the number of different messages of a feed")
            for message in read.messages { try message.checkFields(mailboxes) }
        }
    },
    accountCase(
        "readingGoesOnFromEveryCursor",
        "In a read-only account, a sync interrupted after any batch ends with the same mail."
    ) { trial in
        for read in try await trial.mailThatIsThere() {
            // Evenly over all: every one would take the square of the time.
            let stride = max(1, read.steps.count / 10)
            for (number, start) in read.steps.enumerated() where number.isMultiple(of: stride) {
                var mirror = start
                let session = try await trial.anotherSession()
                try await mirror.round(session)
                await session.close()
                try expectEqual(
                    mirror.messages, read.mirror.messages,
                    "the messages when interrupted after batch \(number)")
            }
        }
    },
    accountCase(
        "aBatchOfMailThatIsThereMeansTheSameTwice",
        "In a read-only account, a repeated batch leads to the same mail."
    ) { trial in
        for read in try await trial.mailThatIsThere() {
            for start in read.steps.prefix(20) {
                var (once, twice) = (start, start)
                try await once.step(trial.session)
                try await twice.step(trial.session)
                try expectEqual(
                    twice.messages, once.messages, "the messages of a batch that was asked for twice")
            }
        }
    },
    accountCase(
        "readingAgainBringsNothing",
        "In a read-only account, a second round reports nothing."
    ) { trial in
        for read in try await trial.mailThatIsThere() {
            var mirror = read.mirror
            let batch = try await mirror.step(trial.session)
            try expect(!batch.hasMore, "changes: expected hasMore to be false in an empty round")
            try expectEqual(batch.messages.count, 0, "new messages in an empty round")
            try expectEqual(batch.removed, [], "removed messages in an empty round")
        }
    },
    accountCase(
        "readingSinceADateLeavesOlderOut",
        "In a read-only account, `since` leaves out only older messages."
    ) { try await readSinceTheMiddle($0) },
    accountCase(
        "mailThatIsThereIsFetched",
        "In a read-only account, messages can be fetched as described."
    ) { trial in
        for read in try await trial.mailThatIsThere() {
            for message in read.messages.prefix(5) {
                let bytes = try await trial.fetch(RemoteAddress(feed: read.mirror.feed, id: message.id))
                try expectEqual(bytes.count, message.size, "the size of a message that was fetched")
                try expect(
                    bytes.starts(with: message.headerBytes),
                    "fetch: expected the message to begin with the header that changes described")
            }
        }
    },
]

/// A feed that was read from the beginning.
private struct ReadFeed {
    let mirror: FeedMirror
    /// The mirror before each batch.
    let steps: [FeedMirror]
    let messages: [RemoteMessage]
}

extension AccountTrial {
    /// The feeds with mail of an account that takes none, each read from the beginning.
    fileprivate func mailThatIsThere() async throws -> [ReadFeed] {
        guard try await !takesMail else {
            throw NotApplicable("the account takes mail, and the other cases make their own")
        }
        var read: [ReadFeed] = []
        for feed in try await session.mailboxes().feeds {
            var mirror = FeedMirror(feed.id)
            var steps: [FeedMirror] = []
            var messages: [RemoteMessage] = []
            var batch: ChangeBatch
            repeat {
                steps.append(mirror)
                batch = try await mirror.step(session)
                messages += batch.messages
                try expect(
                    !batch.hasMore || mirror.cursor != steps.last?.cursor,
                    "changes: expected the cursor to go on while hasMore is set")
            } while batch.hasMore
            if !messages.isEmpty { read.append(ReadFeed(mirror: mirror, steps: steps, messages: messages)) }
        }
        guard !read.isEmpty else {
            throw NotApplicable("the account takes no mail and has none: put a few messages into it")
        }
        return read
    }
}

extension RemoteMessage {
    /// What has to hold for the fields of every message.
    func checkFields(_ mailboxes: Set<RemoteMailboxID>) throws {
        try expect((1...255).contains(id.rawValue.utf8.count), "changes: expected ids of 1 to 255 bytes")
        try expect(
            mailboxIDs.isSubset(of: mailboxes), "changes: a message is in a mailbox that is not listed")
        try expect(size > 0, "changes: expected the size of a message, found \(size)")
        try expect(!headerBytes.isEmpty, "changes: expected the header of a message, found nothing")
    }
}

private func readSinceTheMiddle(_ trial: AccountTrial) async throws {
    /// Services that compare days may bring a little more.
    let day = 86_400.0
    var isTried = false
    for read in try await trial.mailThatIsThere() {
        let dates = read.messages.map(\.receivedAt)
        guard let oldest = dates.min(), let newest = dates.max(),
            newest.timeIntervalSince(oldest) > 4 * day
        else { continue }
        isTried = true
        let since = oldest + newest.timeIntervalSince(oldest) / 2
        var mirror = FeedMirror(read.mirror.feed)
        try await mirror.round(trial.session, since: since)
        let wanted = Set(read.messages.filter { $0.receivedAt >= since }.map(\.id))
        let unwanted = Set(read.messages.filter { $0.receivedAt < since - 2 * day }.map(\.id))
        try expectEqual(
            wanted.subtracting(mirror.arrivals).count, 0, "messages of the time asked for that did not come")
        try expectEqual(
            unwanted.intersection(mirror.arrivals).count, 0,
            "messages from before the time asked for that came")
    }
    guard isTried else { throw NotApplicable("all mail that is there was received within four days") }
}
