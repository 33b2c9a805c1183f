import FoundationEssentials
import MailKernelAPI

/// What another program changes is told by the next sync.
let updateCases: [ConformanceCase] = [
    accountCase("changedKeywordsAreTold", "Keywords changed elsewhere are reported by the next sync.") {
        trial in
        let setting = try await SyncedMail(trial)
        try await setting.elsewhere(.setKeywords([setting.address], add: [.flagged], remove: [.seen]))
        var mirror = setting.mirror
        try await mirror.round(trial.session)
        try expectEqual(mirror.held(setting.mail)?.keywords, [.flagged], "the keywords after a later sync")
        try expectEqual(mirror.find(setting.mail).count, 1, "how often the message is held")
    },
    accountCase("destroyedMailIsTold", "Messages destroyed elsewhere are removed by the next sync.") {
        trial in
        let setting = try await SyncedMail(trial)
        try await setting.elsewhere(.destroy([setting.address]))
        var mirror = setting.mirror
        try await mirror.round(trial.session)
        try expect(
            mirror.held(setting.mail) == nil, "after a later sync: expected the message to be gone, found it")
    },
    accountCase("movedMailIsTold", "Messages moved elsewhere are only in their new mailbox.") {
        trial in
        let target = try await trial.workplace(1)
        let setting = try await SyncedMail(trial)
        try await setting.elsewhere(.move([setting.address], from: setting.mailbox, to: target))
        var mirror = setting.mirror
        try await mirror.round(trial.session)
        try expectEqual(
            mirror.find(setting.mail, in: setting.mailbox).count, 0, "the message in its old mailbox")
        let feed = try await trial.feed(of: target)
        if feed != mirror.feed {
            mirror = FeedMirror(feed)
            try await mirror.round(trial.session)
        }
        try expectEqual(mirror.find(setting.mail, in: target).count, 1, "the message in its new mailbox")
    },
    accountCase("labelsAreTold", "A message added to a second mailbox is one message in both.") { trial in
        try await trial.require(.labels, "messages in several mailboxes")
        let target = try await trial.workplace(1)
        let setting = try await SyncedMail(trial)
        try await setting.elsewhere(.add([setting.address], to: target))
        var mirror = setting.mirror
        try await mirror.round(trial.session)
        try expectEqual(mirror.find(setting.mail).count, 1, "how often the message is held")
        try expectEqual(
            mirror.held(setting.mail)?.mailboxIDs, [setting.mailbox, target], "the mailboxes of the message")
    },
    accountCase(
        "whatComesAndGoesIsNothing", "Messages that arrived and were removed between two syncs leave nothing."
    ) {
        trial in
        let setting = try await SyncedMail(trial)
        let brief = trial.mail()
        let address = try await trial.add(brief, to: setting.mailbox)
        try await setting.elsewhere(.destroy([address]))
        var mirror = setting.mirror
        try await mirror.round(trial.session)
        try expect(mirror.held(brief) == nil, "after a later sync: expected nothing of the message, found it")
        try expectEqual(mirror.find(setting.mail).count, 1, "how often the other message is held")
    },
    accountCase(
        "ownMovesThatAreUndoneElsewhereAreTold",
        "A message that the plugin moved there, and another program destroyed before the next sync, is removed."
    ) {
        trial in
        let target = try await trial.workplace(1)
        let setting = try await SyncedMail(trial)
        var mirror = FeedMirror(try await trial.feed(of: target))
        try await mirror.round(trial.session)
        let moved = try await trial.done(.move([setting.address], from: setting.mailbox, to: target))
        // Where it is not told, the next sync says what the message is called.
        guard let now = moved.newIDs[setting.address] else { return }
        mirror.hold(now.id, setting.mail, in: target)
        try await setting.elsewhere(.destroy([now]))
        try await mirror.round(trial.session)
        try expect(
            mirror.held(setting.mail) == nil, "after a later sync: expected the message to be gone, found it")
    },
    accountCase("aDestroyedMessageDoesNotStopASync", "A message destroyed during a sync does not stop it.") {
        trial in
        let mailbox = try await trial.workplace()
        var mails: [TestMail] = []
        for _ in 0..<8 { mails.append(trial.mail()) }
        for mail in mails { try await trial.append(mail, to: mailbox) }
        let feed = try await trial.feed(of: mailbox)
        let oldest = try await trial.only(mails[0], in: mailbox)
        var mirror = FeedMirror(feed)
        var hasMore = try await mirror.step(trial.session).hasMore
        try await trial.done(.destroy([oldest]))
        while hasMore { hasMore = try await mirror.step(trial.session).hasMore }
        try await mirror.round(trial.session)
        for (number, mail) in mails.enumerated() {
            try expectEqual(
                mirror.find(mail).count, number == 0 ? 0 : 1, "how often message \(number) is held")
        }
    },
]

/// A message in a mailbox, and a mirror that has been synced with it.
private struct SyncedMail {
    let trial: AccountTrial
    let mailbox: RemoteMailboxID
    let mail: TestMail
    let address: RemoteAddress
    let mirror: FeedMirror

    init(_ trial: AccountTrial) async throws {
        self.trial = trial
        mailbox = try await trial.workplace()
        mail = trial.mail()
        address = try await trial.add(mail, to: mailbox)
        var mirror = FeedMirror(address.feed)
        try await mirror.round(trial.session)
        self.mirror = mirror
    }

    /// Carries out a mutation in another session, as another program would.
    func elsewhere(_ mutation: RemoteMutation) async throws {
        let session = try await trial.anotherSession()
        let outcomes = try await session.apply([mutation])
        await session.close()
        if case .done = outcomes.first { return }
        throw ConformanceFailure("\(mutation.name): expected “done”, found \(outcomes)")
    }
}
