import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

/// FR-SYNC-02, FR-SYNC-05, FR-SYNC-09: the kernel, the plugin for IMAP and Dovecot.
@Suite(
    "On a real server", .serialized,
    .enabled(if: RealMail.isInstalled, "Dovecot is not installed, or Plugins/IMAPAccount is not built"),
    .timeLimit(.minutes(20)))
struct RealServerTests {
    /// What a user does: flags, moves, deletions for good, and messages of their own.
    private func act(_ mail: RealMail, _ random: inout SeededRandom, step: Int) async throws {
        let test = mail.test
        let mailboxes = try await test.storage.mailboxes(nil, in: mail.account.id).map(\.mailbox)
            .filter { $0.role != .drafts }
        let query = EmailQuery(in: [mail.account.id], limit: 1000)
        let ids = try await test.storage.queryEmails(query).hits.map(\.emailID)
        guard let id = ids.randomElement(using: &random), let target = mailboxes.randomElement(using: &random)
        else { return }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let keyword = [Keyword.seen, .flagged, .answered].randomElement(using: &random) ?? .seen
            let isAdded = Bool.random(using: &random)
            try await update(id, test, mail) {
                isAdded ? $0.keywords.insert(keyword).inserted : $0.keywords.remove(keyword) != nil
            }
        case 5..<8:
            try await update(id, test, mail) { email in
                let isMoved = email.mailboxIDs != [target.id]
                email.mailboxIDs = [target.id]
                return isMoved
            }
        case 8:
            try await test.kernel.mail.destroy([id], in: mail.account.id)
        default:
            let message =
                "From: ada@example.test\r\nSubject: Mine\r\nMessage-ID: <k\(step)@ours.test>\r\n\r\nText\r\n"
            _ = try await test.kernel.mail.add(
                Data(message.utf8), to: [target.id], keywords: [.seen], receivedAt: test.clock.now,
                in: mail.account.id)
        }
    }

    private func update(
        _ id: Id<Email>, _ test: TestKernel, _ mail: RealMail, _ body: (inout Email) -> Bool
    ) async throws {
        guard let old = try await test.storage.emails([id], in: mail.account.id).first?.email else { return }
        var new = old
        guard body(&new) else { return }
        _ = try? await test.kernel.mail.update(
            [EmailUpdate(old, keywords: new.keywords, mailboxIDs: new.mailboxIDs)], in: mail.account.id)
    }

    /// `SEEDS=4,5,6` tries others.
    private static let seeds =
        ProcessInfo.processInfo.environment["SEEDS"]?.split(separator: ",").compactMap { UInt64($0) }
        ?? [1, 2, 3]

    @Test(arguments: seeds) func twoClientsChangeOneAccountAndEndEqual(_ seed: UInt64) async throws {
        let mail = try await RealMail(messages: 40)
        try await mail.test.start()
        try await mail.test.wait(for: "the first sync") {
            try await mail.test.emailIDs(of: mail.account.id).count == 40
        }
        async let other = RealMail.run(
            "other_client.py", ["act", "\(mail.service.imaps)", RealMail.address, "\(seed)", "80"])
        var random = SeededRandom(seed)
        for step in 0..<80 {
            try? await act(mail, &random, step: step)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<40, using: &random)))
            mail.test.clock.advance(by: 1)
        }
        _ = try await other
        let end = try await mail.comeToRest()
        #expect(end.here == end.there)
        #expect(end.here.values.reduce(0) { $0 + $1.count } > 20)
        await mail.stop()
    }

    /// FR-SYNC-05: to IMAP a mailbox is its name. What is in one that was renamed is the same mail as before, and
    /// what is done with it in the same breath is done.
    @Test func aMailboxThatIsRenamedKeepsItsMail() async throws {
        let mail = try await RealMail(messages: 1)
        let (test, account) = (mail.test, mail.account.id)
        try await test.start()
        let work = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: account, name: "Work"))
        var ids: [Id<Email>] = []
        for number in 1...4 {
            let message = "From: ada@example.test\r\nMessage-ID: <w\(number)@ours.test>\r\n\r\nText\r\n"
            ids.append(
                try await test.kernel.mail.add(
                    Data(message.utf8), to: [work.id], keywords: [], receivedAt: test.clock.now, in: account
                ).email.id)
        }
        let before = try await mail.comeToRest()
        #expect(before.here == before.there && before.there["Work"]?.count == 4)

        var projects = work
        projects.name = "Projects"
        try await test.kernel.mail.updateMailboxes([MailboxChange(from: work, to: projects)])
        try await test.kernel.mail.destroy([ids[0]], in: account)
        try await test.kernel.mail.update(
            [EmailUpdate(ids[1], in: account, addKeywords: [.flagged])], in: account)
        let inbox = try #require(
            try await test.storage.mailboxes(nil, in: account).first { $0.mailbox.role == .inbox }?.mailbox.id
        )
        try await test.kernel.mail.update(
            [EmailUpdate(ids[2], in: account, addMailboxes: [inbox], removeMailboxes: [work.id])], in: account
        )
        let after = try await mail.comeToRest()
        #expect(after.here == after.there)
        #expect(after.there["Projects"] == ["w2@ours.test \\Flagged", "w4@ours.test"])
        #expect(after.there["INBOX"]?.contains("w3@ours.test") == true && after.there["Work"] == nil)
        // The same mail as before, and not read again.
        let stored = try await test.storage.emails([ids[1], ids[3]], in: account).map(\.email)
        #expect(stored.map(\.mailboxIDs) == [[work.id], [work.id]])
        await mail.stop()
    }

    /// FR-SYNC-02, FR-SYNC-09: every connection is cut somewhere, 500 times, while mail is read for the first time and flags
    /// are changed. Whatever the sync has reached, it goes on from there.
    @Test func fiveHundredFaultsOnTheWayLoseNothing() async throws {
        let mail = try await RealMail(inEach: 60, faults: 500)
        let relay = try #require(mail.relay)
        relay.signal(SIGUSR1)
        try await mail.test.start()
        let end = ContinuousClock.now + .seconds(540)
        var (tick, cutsWhenRead) = (0, 0)
        while mail.cuts < 500, ContinuousClock.now < end {
            mail.test.clock.advance(by: 150)
            try await Task.sleep(for: .milliseconds(5))
            tick += 1
            guard tick % 40 == 0 else { continue }
            let ids = try await mail.test.emailIDs(of: mail.account.id)
            if ids.count < 240 { cutsWhenRead = mail.cuts }
            guard let id = ids.dropFirst(tick / 40 % 240).first else { continue }
            try await mail.test.kernel.mail.update(
                [EmailUpdate(id, in: mail.account.id, addKeywords: [.flagged])], in: mail.account.id)
        }
        #expect(mail.cuts == 500)
        #expect(cutsWhenRead > 50, "the first reading was hardly disturbed")
        let rest = try await mail.comeToRest()
        #expect(rest.here == rest.there)
        #expect(rest.here.values.map(\.count).filter { $0 > 0 } == [60, 60, 60, 60])
        #expect(rest.here.values.joined().contains { $0.hasSuffix("\\Flagged") })
        await mail.stop()
    }

    /// FR-ACCT-02: what leaves the window leaves this device, and nothing else.
    @Test func aSmallerWindowLeavesTheServerAlone() async throws {
        let mail = try await RealMail()
        _ = try await RealMail.run(
            "other_client.py", ["days", "\(mail.service.imaps)", RealMail.address, "60"])
        func set(_ days: Int) async throws {
            var account = try #require(try await mail.test.kernel.store.account(mail.account.id))
            account.syncWindowDays = days
            try await mail.test.kernel.accounts.update(account)
        }
        @Sendable func count() async throws -> Int {
            try await mail.test.emailIDs(of: mail.account.id).count
        }
        try await set(90)
        try await mail.test.start()
        try await mail.test.wait(for: "all of it") { try await count() == 60 }
        let before = try await mail.there()
        try await set(7)
        // Within a day; which day it is meanwhile moves the window too.
        for _ in 0..<5 where try await count() > 8 {
            mail.test.clock.advance(by: 0.2 * 86_400)
            await mail.test.kernel.accounts.settle(mail.account.id)
        }
        try await mail.test.wait(for: "a week of it") { try await count() <= 8 }
        #expect(try await count() >= 5)
        #expect(try await mail.there() == before)
        #expect(before["INBOX"]?.count == 60)
        try await set(90)
        try await mail.test.wait(for: "all of it again") { try await count() == 60 }
        await mail.stop()
    }

    /// From the server to the page's stream of events. How long it takes is measured by the benchmarks.
    @Test func newMailComesToTheStreamOfEvents() async throws {
        let mail = try await RealMail(messages: 1)
        try await mail.test.start()
        try await mail.test.wait(for: "listening") {
            mail.test.kernel.accounts.status.all.statuses[mail.account.id]?.phase == .listening
        }
        let news = mail.test.kernel.store.news.listen()
        _ = try await RealMail.run(
            "other_client.py", ["act", "\(mail.service.imaps)", "bob@example.test", "1", "1"])
        _ = try await RealMail.run(
            "other_client.py", ["fill", "\(mail.service.imaps)", RealMail.address, "1"])
        for await states in news where states.keys.contains(where: { $0.type == .emailDelivery }) { break }
        #expect(try await mail.test.emailIDs(of: mail.account.id).count == 2)
        await mail.stop()
    }
}
