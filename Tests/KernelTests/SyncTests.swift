import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-01, FR-SYNC-02, FR-SYNC-05.
@Suite("An account is kept in step with its service") struct SyncTests {
    private static let ada = "ada@example.org"

    private func message(_ number: Int) -> Data {
        Data(
            """
            From: Grace <grace@example.org>\r
            To: ada@example.org\r
            Subject: Number \(number)\r
            Message-ID: <number-\(number)@example.org>\r
            \r
            Text \(number).\r

            """.utf8)
    }

    private func scripted(
        messages: Int = 0, layout: MemoryMailServer.Layout = .labels, batchSize: Int = 50,
        isStarted: Bool = true, on disk: MemoryStorage.Disk = .init(), clock: ManualClock = ManualClock(),
        server: MemoryMailServer? = nil, secrets: SecretDrawers = SecretDrawers()
    ) async throws -> (TestKernel, Script) {
        let script = Script()
        let test = try await TestKernel(
            messages: messages, layout: layout, batchSize: batchSize, isStarted: isStarted, on: disk,
            clock: clock, server: server, secrets: secrets, wrap: { ScriptedSession($0, script) })
        return (test, script)
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func everythingIsReadOnce(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(messages: 30, layout: layout, batchSize: 7)
        #expect(try await test.emailIDs().count == 30)
        let inbox = try await test.mailbox(.inbox)
        let stored = try await test.storage.mailboxes([inbox], in: test.ada)
        #expect(stored.first?.counts.totalEmails == 30)
        await test.settle()
        #expect(try await test.emailIDs().count == 30)
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func newMailComesWithoutBeingAskedFor(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(layout: layout)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func watchingBeginsAnewAfterALostConnection(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(layout: layout)
        try await test.wait(for: "watching") { test.server.watchers(of: Self.ada) == 1 }
        test.server.endWatching(Self.ada)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") {
            test.clock.advance(by: 5)
            return try await test.emailIDs().count == 1
        }
        try await test.wait(for: "watching again") { test.server.watchers(of: Self.ada) == 1 }
    }

    /// A router that ends each connection at once: it is tried less and less often.
    @Test func watchingThatNeverLastsIsTriedLessAndLessOften() async throws {
        let (test, script) = try await scripted()
        let began = test.clock.now
        var times: [Double] = []
        for _ in 0..<5 {
            try await test.wait(for: "watching") {
                if test.server.watchers(of: Self.ada) == 1 { return true }
                test.clock.advance(by: 1)
                await test.settle()
                return false
            }
            await test.settle()
            times.append(test.clock.now.timeIntervalSince(began))
            test.server.endWatching(Self.ada)
            try await test.wait(for: "its end") { test.server.watchers(of: Self.ada) == 0 }
        }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        for (pause, least) in zip(pauses, [5.0, 15, 45, 120]) { #expect(pause >= least, "\(pauses)") }
        #expect(script.now.rounds < 20, "\(script.now.rounds) rounds")
    }

    /// FR-SYNC-09: 3 retries (5, 15, 45 s), and then at longer intervals for as long as it takes.
    @Test func aServerThatCannotBeReachedIsTriedThreeTimesMoreAndThenNowAndThen() async throws {
        let (test, script) = try await scripted()
        await test.settle()
        script.change {
            $0.mailboxErrors = Array(
                repeating: .unreachable(host: "mail.example.org", reason: "No route."), count: 6)
        }
        await test.kernel.accounts.refresh(test.ada)
        for (left, pause) in [(5, 5.0), (4, 15), (3, 45), (2, 120), (1, 120), (0, 120)] {
            try await test.wait(for: "try with \(left) left") { script.now.mailboxErrors.count == left }
            await test.settle()
            #expect(test.kernel.accounts.status.all.statuses[test.ada]?.phase == .waiting)
            test.clock.advance(by: pause - 1)
            await test.settle()
            #expect(script.now.mailboxErrors.count == left)
            test.clock.advance(by: 1)
        }
        try await test.wait(for: "its answer") {
            test.kernel.accounts.status.all.statuses[test.ada]?.phase == .listening
        }
    }

    @Test func aServiceThatDoesNotTellIsAskedAtIntervals() async throws {
        let test = try await TestKernel(lacking: [.push])
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") {
            test.clock.advance(by: 300)
            return try await test.emailIDs().count == 1
        }
    }

    @Test func anInterruptedReadingGoesOnWhereItStopped() async throws {
        let disk = MemoryStorage.Disk()
        let (clock, secrets) = (ManualClock(), SecretDrawers())
        let server = MemoryMailServer(logins: MemoryAccountPlugin.logins, batchSize: 5, clock: clock)
        server.fill(Self.ada, count: 40)
        let (first, script) = try await scripted(
            isStarted: false, on: disk, clock: clock, server: server, secrets: secrets)
        script.change { $0.failingBatch = (4, .offline) }
        try await first.start()
        await first.kernel.accounts.settle(first.ada)
        await first.kernel.stop()
        let half = try await first.emailIDs().count
        #expect(half > 0 && half < 40 && half.isMultiple(of: 5), "\(half) messages")
        let (second, log) = try await scripted(on: disk, clock: clock, server: server, secrets: secrets)
        await second.kernel.accounts.settle(second.ada)
        #expect(try await second.emailIDs().count == 40)
        #expect(log.now.batches < 20)
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func expiredCursorsReadAnewAndDoubleNothing(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(messages: 12, layout: layout, batchSize: 5)
        let before = Set(try await test.emailIDs())
        test.server.expireCursors(of: Self.ada)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 13 }
        await test.settle()
        #expect(Set(try await test.emailIDs()).isSuperset(of: before))
    }

    @Test func mailboxesComeGoAndAreRenamed() async throws {
        let test = try await TestKernel()
        test.server.apply(.createMailbox(name: "Projects", parent: nil), in: Self.ada)
        @Sendable func names() async throws -> Set<String> {
            Set(try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox.name))
        }
        try await test.wait(for: "the mailbox") { try await names().contains("Projects") }
        let all = try await test.storage.mailboxes(nil, in: test.ada)
        let id = try #require(all.first { $0.mailbox.name == "Projects" }).mailbox.id
        let remote = try #require(test.server.mailboxes(of: Self.ada).first { $0.name == "Projects" }).id
        test.server.apply(.renameMailbox(remote, name: "Works", parent: nil), in: Self.ada)
        try await test.wait(for: "the name") { try await names().contains("Works") }
        #expect(try await test.storage.mailboxes([id], in: test.ada).first?.mailbox.name == "Works")
        test.server.apply(.deleteMailbox(remote), in: Self.ada)
        try await test.wait(for: "the end") { try await !names().contains("Works") }
    }

    @Test func aMessageInAMailboxThatWasJustMadeIsInIt() async throws {
        let test = try await TestKernel(messages: 1)
        for _ in 0..<20 {
            let number = test.server.mailboxes(of: Self.ada).count
            test.server.apply(.createMailbox(name: "Label \(number)", parent: nil), in: Self.ada)
            let label = try #require(
                test.server.mailboxes(of: Self.ada).first { $0.name == "Label \(number)" })
            test.server.deliver(message(number), to: Self.ada, mailbox: label.id)
        }
        try await test.wait(for: "all") { try await test.emailIDs().count == 21 }
        let archive = try await test.mailbox(.archive)
        for id in try await test.emailIDs() {
            #expect(try await !test.email(id).mailboxIDs.contains(archive))
        }
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aMessageThatWasMovedElsewhereIsThereOnce(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(layout: layout)
        let address = try #require(test.server.deliver(message(1), to: Self.ada))
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        test.server.apply(.move([address], from: Id("inbox"), to: Id("trash")), in: Self.ada)
        let trash = try await test.mailbox(.trash)
        try await test.wait(for: "the move") {
            guard let id = try await test.emailIDs().first else { return false }
            return try await test.email(id).mailboxIDs == [trash]
        }
        await test.settle()
        #expect(try await test.emailIDs().count == 1)
    }

    @Test func whatIsDestroyedThereIsGoneHere() async throws {
        let test = try await TestKernel()
        let address = try #require(test.server.deliver(message(1), to: Self.ada))
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        test.server.apply(.destroy([address]), in: Self.ada)
        try await test.wait(for: "its end") { try await test.emailIDs().isEmpty }
    }

    @Test func aWiderWindowBringsOlderMail() async throws {
        let test = try await TestKernel()
        let now = test.clock.now
        test.server.deliver(message(1), to: Self.ada, receivedAt: now - 40 * 86_400)
        test.server.deliver(message(2), to: Self.ada, receivedAt: now - 86_400)
        try await test.wait(for: "the younger one") { try await test.emailIDs().count == 1 }
        var account = try #require(try await test.storage.accounts().first { $0.id == test.ada })
        account.syncWindowDays = 60
        try await test.kernel.accounts.update(account)
        try await test.wait(for: "the older one") { try await test.emailIDs().count == 2 }
    }

    // MARK: Changes made here

    private func flag(_ id: Id<Email>, in test: TestKernel) async throws {
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
    }

    /// FR-SYNC-10: at once here, then at the server.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aChangeIsHereAtOnceAndThereSoon(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(messages: 1, layout: layout)
        let id = try #require(try await test.emailIDs().first)
        try await flag(id, in: test)
        #expect(try await test.email(id).keywords.contains(.flagged))
        await test.settle()
        #expect(test.server.messages(of: Self.ada).first?.keywords.contains(.flagged) == true)
        let trash = try await test.mailbox(.trash)
        let inbox = try await test.mailbox(.inbox)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox])], in: test.ada)
        await test.settle()
        #expect(test.server.messages(of: Self.ada).first?.mailboxIDs == [Id("trash")])
        #expect(try await test.emailIDs() == [id])
        // What changes there afterwards reaches the same email.
        let address = try #require(test.server.messages(of: Self.ada).first).address
        test.server.apply(.setKeywords([address], add: [], remove: [.flagged]), in: Self.ada)
        try await test.wait(for: "the flag") { try await !test.email(id).keywords.contains(.flagged) }
    }

    /// FR-SYNC-05: what cannot be done however often it is tried is undone at once, and shown.
    @Test func anImpossibleChangeIsUndoneWithANotice() async throws {
        let (test, script) = try await scripted(messages: 1)
        let id = try #require(try await test.emailIDs().first)
        script.change { $0.applyOutcomes = [.refused(.refused("No flags today."))] }
        try await flag(id, in: test)
        await test.settle()
        #expect(try await !test.email(id).keywords.contains(.flagged))
        let notices = try await test.kernel.notices.all()
        #expect(notices.map(\.notice.accountID) == [test.ada])
        #expect(notices.first?.notice.text.contains("No flags today.") == true)
    }

    /// FR-SYNC-05: retried 3 times (5 s, 15 s, 45 s), then undone; reading goes on meanwhile.
    @Test(arguments: [AccountError.badAnswer("nonsense"), .refused("System Error (Failure)")])
    func aFailingChangeIsTriedThreeTimesMoreAndThenUndone(_ error: AccountError) async throws {
        let (test, script) = try await scripted(messages: 1)
        let id = try #require(try await test.emailIDs().first)
        script.change { $0.applyOutcomes = Array(repeating: .failed(error), count: 4) }
        try await flag(id, in: test)
        await test.settle()
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "new mail") { try await test.emailIDs().count == 2 }
        for (left, pause) in [(3, 5.0), (2, 15), (1, 45)] {
            try await test.wait(for: "try") { script.now.applyOutcomes.count == left }
            await test.settle()
            #expect(try await test.email(id).keywords.contains(.flagged))
            test.clock.advance(by: pause - 1)
            await test.settle()
            #expect(script.now.applyOutcomes.count == left)
            test.clock.advance(by: 1)
        }
        try await test.wait(for: "the undoing") { try await !test.email(id).keywords.contains(.flagged) }
        let notices = try await test.kernel.notices.all()
        #expect(notices.count == 1)
        #expect(notices.first?.notice.text.hasSuffix(error.sentence) == true)
    }

    @Test func withoutANetworkChangesWaitAndAreCarriedOutInOrder() async throws {
        let (test, script) = try await scripted(messages: 1)
        let id = try #require(try await test.emailIDs().first)
        await test.settle()
        test.server.setOutage(.offline)
        let trash = try await test.mailbox(.trash)
        let inbox = try await test.mailbox(.inbox)
        try await flag(id, in: test)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [trash], removeMailboxes: [inbox])], in: test.ada)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, removeKeywords: [.flagged])], in: test.ada)
        await test.settle()
        #expect(try await test.email(id).mailboxIDs == [trash])
        #expect(script.now.applied.isEmpty)
        test.server.setOutage(nil)
        try await test.wait(for: "all of it") {
            test.clock.advance(by: 45)
            return script.now.applied.count == 3
        }
        await test.settle()
        let message = try #require(test.server.messages(of: Self.ada).first)
        #expect(message.mailboxIDs == [Id("trash")] && !message.keywords.contains(.flagged))
        #expect(try await test.kernel.notices.all().isEmpty)
    }

    @Test func aPendingChangeStaysOnTopOfWhatTheServiceSays() async throws {
        let (test, script) = try await scripted(messages: 1)
        let id = try #require(try await test.emailIDs().first)
        script.change { $0.applyOutcomes = [.failed(.badAnswer("later"))] }
        try await flag(id, in: test)
        await test.settle()
        let address = try #require(test.server.messages(of: Self.ada).first).address
        test.server.apply(.setKeywords([address], add: [.answered], remove: [.seen]), in: Self.ada)
        try await test.wait(for: "the other change") { try await test.email(id).keywords.contains(.answered) }
        #expect(try await test.email(id).keywords.contains(.flagged))
        test.clock.advance(by: 5)
        try await test.wait(for: "the push") {
            test.server.messages(of: Self.ada).first?.keywords.contains(.flagged) == true
        }
    }

    @Test func whatWasDestroyedHereDoesNotComeBackWhileTheServiceIsBeingTold() async throws {
        let (test, script) = try await scripted(messages: 2)
        let id = try #require(try await test.emailIDs().first)
        script.change { $0.applyOutcomes = [.failed(.badAnswer("later"))] }
        try await test.kernel.mail.destroy([id], in: test.ada)
        test.server.expireCursors(of: Self.ada)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 2 }
        await test.settle()
        #expect(try await test.emailIDs().count == 2)
        test.clock.advance(by: 5)
        try await test.wait(for: "the push") { test.server.messages(of: Self.ada).count == 2 }
    }

    /// On a server of folders the append does not tell the message's name.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aMessageMadeHereIsThereOnce(_ layout: MemoryMailServer.Layout) async throws {
        let test = try await TestKernel(layout: layout)
        let drafts = try await test.mailbox(.drafts)
        let email = try await test.kernel.mail.add(
            message(7), to: [drafts], keywords: [.draft], receivedAt: test.clock.now, in: test.ada)
        let id = email.email.id
        // Changed before the service has told its name.
        try await flag(id, in: test)
        try await test.wait(for: "the message there") { test.server.messages(of: Self.ada).count == 1 }
        await test.settle()
        try await test.wait(for: "the flag there") {
            test.server.messages(of: Self.ada).first?.keywords.contains(.flagged) == true
        }
        #expect(try await test.emailIDs() == [id])
        #expect(try await test.email(id).keywords == [.draft, .flagged])
        #expect(try await !test.storage.remoteRefs(of: [id], in: test.ada).isEmpty)
        // From now on its bytes are a copy.
        let blob = try await test.storage.blobInfo(email.email.blobID, in: test.ada)
        #expect(blob?.retention == .cached)
        #expect(test.server.messages(of: Self.ada).first?.bytes == message(7))
    }

    @Test func aMailboxThatTheServiceRefusesIsTakenBack() async throws {
        let (test, script) = try await scripted(messages: 1)
        let id = try #require(try await test.emailIDs().first)
        script.change { $0.applyOutcomes = [.refused(.refused("No more mailboxes."))] }
        let template = Mailbox(id: Id(""), accountID: test.ada, name: "New")
        let made = try await test.kernel.mail.createMailbox(template)
        try await test.kernel.mail.update(
            [
                EmailUpdate(
                    id, in: test.ada, addMailboxes: [made.id],
                    removeMailboxes: [try await test.mailbox(.inbox)])
            ], in: test.ada)
        try await test.wait(for: "its end") {
            try await test.storage.mailboxes([made.id], in: test.ada).isEmpty
        }
        await test.settle()
        #expect(try await test.emailIDs() == [id])
        #expect(try await test.kernel.notices.all().count == 1)
    }

    @Test func aRenamingThatIsRefusedIsUndone() async throws {
        let (test, script) = try await scripted()
        let made = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: "Before"))
        await test.settle()
        script.change { $0.applyOutcomes = [.refused(.refused("No."))] }
        var renamed = made
        renamed.name = "After"
        try await test.kernel.mail.updateMailboxes([MailboxChange(from: made, to: renamed)])
        await test.settle()
        let name = try await test.storage.mailboxes([made.id], in: test.ada).first?.mailbox.name
        #expect(name == "Before")
    }

    @Test func aDeletionThatIsRefusedBringsMailboxAndMailBack() async throws {
        let (test, script) = try await scripted()
        let made = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: "Kept"))
        await test.settle()
        let remote = try #require(test.server.mailboxes(of: Self.ada).first { $0.name == "Kept" })
        test.server.deliver(message(1), to: Self.ada, mailbox: remote.id)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        script.change { $0.applyOutcomes = [.refused(.refused("No."))] }
        try await test.kernel.mail.destroyMailbox(made.id, in: test.ada, evenWithEmails: true)
        #expect(try await test.storage.mailboxes([made.id], in: test.ada).isEmpty)
        try await test.wait(for: "the mailbox with its mail") {
            test.clock.advance(by: 5)
            let kept = try await test.storage.mailboxes(nil, in: test.ada).first { $0.mailbox.name == "Kept" }
            return kept?.counts.totalEmails == 1
        }
        #expect(try await test.emailIDs().count == 1)
    }

    // MARK: The end

    @Test func removingAnAccountLeavesNothingOfIt() async throws {
        let test = try await TestKernel(messages: 5)
        try await test.kernel.accounts.remove(test.ada)
        #expect(try await test.emailIDs().isEmpty)
        #expect(test.server.watchers(of: Self.ada) == 0)
        #expect(test.kernel.accounts.status.all.statuses[test.ada] == nil)
        #expect(try await test.emailIDs(of: test.grace).count == 5)
    }

    @Test func stoppingInTheMiddleAndStartingAgainLosesNothing() async throws {
        let disk = MemoryStorage.Disk()
        let (clock, secrets) = (ManualClock(), SecretDrawers())
        let server = MemoryMailServer(logins: MemoryAccountPlugin.logins, batchSize: 3, clock: clock)
        server.fill(Self.ada, count: 60)
        for round in 0..<12 {
            let test = try await TestKernel(
                isStarted: false, on: disk, clock: clock, server: server, secrets: secrets)
            try await test.start()
            for _ in 0..<(round * 7) { await Task.yield() }
            await test.kernel.stop()
        }
        let test = try await TestKernel(on: disk, clock: clock, server: server, secrets: secrets)
        #expect(try await test.emailIDs().count == 60)
    }
}
