import FoundationEssentials
import MailKernelAPI

let syncCases: [ConformanceCase] = [
    accountCase(
        "aFirstSyncTellsEachMessageOnce", "A sync from the beginning ends, and reports each message once."
    ) {
        try await firstSync($0)
    },
    accountCase("aMessageComesAsItIs", "A message is reported with its mailbox, keywords, date and size.") {
        trial in
        let mailbox = try await trial.workplace()
        let mail = trial.mail()
        _ = try await trial.add(mail, to: mailbox, keywords: [.seen, .flagged])
        guard let held = try await trial.held(mail, in: mailbox) else { return }
        // Where a star is a label, what is starred is in that mailbox too.
        let starred = try await trial.mailbox(.flagged).map { [$0] } ?? []
        try expectEqual(
            held.mailboxIDs.subtracting(starred), [mailbox], "the mailboxes of a message")
        try expectEqual(held.keywords, [.seen, .flagged], "the keywords of a message")
        try expectEqual(held.size, mail.bytes.count, "the size of a message")
        let difference = abs(held.receivedAt.timeIntervalSince(mail.receivedAt))
        try expect(
            difference <= 1, "the date of a message: expected \(mail.receivedAt), found \(held.receivedAt)")
    },
    accountCase("newMailComesNewestFirst", "A sync from the beginning reports the newest messages first.") {
        trial in
        let mailbox = try await trial.workplace()
        var mails: [TestMail] = []
        for _ in 0..<5 {
            mails.append(trial.mail())
            try await trial.append(mails[mails.count - 1], to: mailbox)
        }
        var mirror = FeedMirror(try await trial.feed(of: mailbox))
        try await mirror.round(trial.session)
        let order = mirror.arrivals.compactMap { id in
            mails.firstIndex { $0.messageID == mirror.messages[id]?.messageID }
        }
        try expectEqual(
            order, [4, 3, 2, 1, 0], "the order of five messages, of which the last is the newest")
    },
    accountCase(
        "aSyncGoesOnFromEveryCursor",
        "A sync interrupted after any batch continues and ends with the same mail."
    ) { try await resumption($0) },
    accountCase("aBatchMeansTheSameTwice", "A repeated batch leads to the same mail.") {
        trial in
        let mailbox = try await trial.workplace()
        for _ in 0..<12 { try await trial.append(trial.mail(), to: mailbox) }
        let feed = try await trial.feed(of: mailbox)
        var once = FeedMirror(feed)
        var twice = FeedMirror(feed)
        var hasMore = true
        while hasMore {
            hasMore = try await once.step(trial.session).hasMore
            // The first answer was lost: its cursor was never stored.
            var lost = twice
            try await lost.step(trial.session)
            try await twice.step(trial.session)
        }
        try expectEqual(twice.messages, once.messages, "the messages when every batch is asked for twice")
    },
    accountCase(
        "nothingNewIsAnEmptyRound", "If nothing has changed, a round has one empty batch."
    ) {
        let mailbox = try await $0.workplace()
        try await $0.append($0.mail(), to: mailbox)
        for var mirror in try await $0.mirrors(of: mailbox) {
            for round in 1...2 {
                let batch = try await mirror.step($0.session)
                try expect(!batch.hasMore, "changes: expected hasMore to be false in empty round \(round)")
                try expectEqual(batch.messages.count, 0, "new messages in empty round \(round)")
                try expectEqual(batch.removed, [], "removed messages in empty round \(round)")
            }
        }
    },
    accountCase("aLaterSyncBringsOnlyWhatIsNew", "A later sync reports only new messages.") {
        trial in
        let mailbox = try await trial.workplace()
        let old = trial.mail()
        try await trial.append(old, to: mailbox)
        var mirror = FeedMirror(try await trial.feed(of: mailbox))
        try await mirror.round(trial.session)
        let before = Set(mirror.arrivals)
        let new = trial.mail()
        try await trial.append(new, to: mailbox)
        let batches = try await mirror.round(trial.session)
        try expectEqual(mirror.find(new, in: mailbox).count, 1, "the new message, how often it is held")
        let again = batches.flatMap(\.messages).map(\.id).filter(before.contains)
        try expectEqual(again.count, 0, "old messages that came again")
    },
    accountCase(
        "mailThatComesDuringASyncIsNotLost",
        "Messages that arrive between two batches are reported sooner or later."
    ) {
        try await arrivalDuringSync($0)
    },
    accountCase("oldMailIsLeftOut", "With `since`, older messages are not reported.") { trial in
        let mailbox = try await trial.workplace()
        let new = trial.mail()
        let old = trial.mail(daysOld: 40)
        try await trial.append(old, to: mailbox)
        try await trial.append(new, to: mailbox)
        var mirror = FeedMirror(try await trial.feed(of: mailbox))
        try await mirror.round(trial.session, since: new.receivedAt - 20 * 86_400)
        try expectEqual(mirror.find(new).count, 1, "the message within the time asked for, how often it came")
        try expectEqual(mirror.find(old).count, 0, "the message that is 40 days old with 20 asked for")
    },
    accountCase("anUnknownFeedIsNotFound", "Changes of a feed that does not exist throw “notFound”.") {
        trial in
        try await expectError(
            "changes of a feed that does not exist", AccountError.self, where: { $0 == .notFound }
        ) {
            var mirror = FeedMirror(FeedID("\(trial.tag)-no-such-feed"))
            return try await mirror.step(trial.session)
        }
    },
    accountCase(
        "aForeignCursorExpires",
        "An invalid cursor throws “cursorExpired”, and the feed is read from the beginning."
    ) { trial in
        guard let feed = try await trial.session.mailboxes().feeds.first else { return }
        for text in ["", "garbage", "1:2:3:4", "99999999999999999999.-1.1"] {
            try await expectError(
                "changes after the cursor “\(text)”", AccountError.self, where: { $0 == .cursorExpired }
            ) {
                try await trial.session.changes(
                    in: feed.id, after: SyncCursor(rawValue: text), since: nil, known: HeldMessages())
            }
        }
    },
]

private func firstSync(_ trial: AccountTrial) async throws {
    let mailbox = try await trial.workplace()
    for _ in 0..<3 { try await trial.append(trial.mail(), to: mailbox) }
    let listing = try await trial.session.mailboxes()
    let mailboxes = Set(listing.mailboxes.map(\.id))
    for feed in listing.feeds {
        var mirror = FeedMirror(feed.id)
        let batches = try await mirror.round(trial.session)
        try expectEqual(
            Set(mirror.arrivals).count, mirror.arrivals.count, "the number of different messages of a feed")
        for message in batches.flatMap(\.messages) {
            try message.checkFields(mailboxes)
        }
        for progress in batches.compactMap(\.progress) {
            try expect(
                (0...progress.total).contains(progress.done),
                "changes: progress of \(progress.done) out of \(progress.total)")
        }
    }
}

private func resumption(_ trial: AccountTrial) async throws {
    let mailbox = try await trial.workplace()
    var mails: [TestMail] = []
    for _ in 0..<60 { mails.append(trial.mail()) }
    for mail in mails { try await trial.append(mail, to: mailbox) }
    var whole = FeedMirror(try await trial.feed(of: mailbox))
    var interrupted = [whole]
    while try await whole.step(trial.session).hasMore { interrupted.append(whole) }
    let missing = mails.filter { whole.find($0, in: mailbox).count != 1 }.map(\.messageID)
    try expectEqual(missing, [], "those of 60 messages that do not come exactly once")
    // Evenly over all: every one would take the square of the time.
    let stride = max(1, interrupted.count / 10)
    for (number, start) in interrupted.enumerated() where number.isMultiple(of: stride) {
        var mirror = start
        let session = try await trial.anotherSession()
        try await mirror.round(session)
        await session.close()
        try expectEqual(
            Set(mirror.messages.keys), Set(whole.messages.keys),
            "the messages when interrupted after batch \(number)")
        try expectEqual(
            mirror.messages, whole.messages, "the messages when interrupted after batch \(number)")
    }
}

private func arrivalDuringSync(_ trial: AccountTrial) async throws {
    let mailbox = try await trial.workplace()
    var mails: [TestMail] = []
    for _ in 0..<10 { mails.append(trial.mail()) }
    for mail in mails { try await trial.append(mail, to: mailbox) }
    var mirror = FeedMirror(try await trial.feed(of: mailbox))
    var hasMore = try await mirror.step(trial.session).hasMore
    let late = trial.mail()
    mails.append(late)
    try await trial.append(late, to: mailbox)
    while hasMore { hasMore = try await mirror.step(trial.session).hasMore }
    try await mirror.round(trial.session)
    for mail in mails {
        try expectEqual(mirror.find(mail, in: mailbox).count, 1, "how often \(mail.messageID) is held")
    }
}
