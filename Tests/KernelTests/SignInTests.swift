import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Sync

/// FR-ACCT-04.
@Suite("An account whose sign-in is no longer valid") struct SignInTests {
    private static let ada = "ada@example.org"
    private static let newPassword = Secret("countess")

    private struct Scene {
        let test: TestKernel
        let script = Script()
        let disk = MemoryStorage.Disk()
        let secrets = SecretDrawers()

        init(messages: Int = 3) async throws {
            let script = script
            test = try await TestKernel(
                messages: messages, on: disk, secrets: secrets, wrap: { ScriptedSession($0, script) })
            // The script tells of one account alone.
            try await test.kernel.accounts.remove(test.grace)
        }

        /// The service forgets the password, and the account tries until it gives up.
        func losesItsSignIn() async throws {
            test.server.setPassword(SignInTests.newPassword, of: SignInTests.ada)
            await test.kernel.accounts.tryAgain()
            try await test.wait(for: "the first refusal") { phase == .waiting }
            #expect(test.kernel.accounts.status.all.statuses[test.ada]?.isSignInRefused == true)
            for pause in [5.0, 15, 45] {
                await test.settle()
                let rounds = script.now.rounds
                #expect(try await account().status == .active)
                test.clock.advance(by: pause - 1)
                await test.settle()
                #expect(script.now.rounds == rounds, "it was asked too early")
                test.clock.advance(by: 1)
                try await test.wait(for: "the next try") { script.now.rounds == rounds + 1 }
            }
            try await test.wait(for: "the account to become inactive") {
                phase == .failed
            }
        }

        var phase: SyncStatus.Phase? { test.kernel.accounts.status.all.statuses[test.ada]?.phase }

        func account() async throws -> Account {
            try #require(try await test.storage.accounts().first { $0.id == test.ada })
        }

        func candidate(
            _ address: String = SignInTests.ada, password: Secret = SignInTests.newPassword
        ) -> AccountCandidate {
            AccountCandidate(
                settings: ["address": .string(address), "note": "new"], secrets: ["password": password])
        }

        /// Writes to Grace.
        func submit(_ number: Int) async throws -> Id<EmailSubmission> {
            let message = Data(
                "From: ada@example.org\r\nTo: grace@example.org\r\nSubject: Letter \(number)\r\n\r\nHello\r\n"
                    .utf8)
            let stored = try await test.kernel.mail.add(
                message, to: [try await test.mailbox(.drafts)], keywords: [.draft],
                receivedAt: test.clock.now, in: test.ada)
            let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
            return try await test.kernel.outbox.submit(
                message, of: stored, as: identity,
                envelope: Envelope(mailFrom: SignInTests.ada, rcptTo: ["grace@example.org"])
            ).id
        }

        var queued: [EmailSubmission] {
            get async throws {
                try await test.storage.submissions(nil, in: test.ada).filter { $0.sendState == .queued }
            }
        }
    }

    @Test func isTriedThreeTimesMoreAndThenBecomesInactive() async throws {
        let scene = try await Scene()
        let listener = scene.test.kernel.store.news.listen()
        try await scene.losesItsSignIn()
        #expect(try await scene.account().status == .inactive)
        let notices = try await scene.test.kernel.notices.all().map(\.notice)
        #expect(notices.map(\.accountID) == [scene.test.ada])
        #expect(notices.first?.text.contains("Sign in to ada@example.org again") == true)
        // Pushed to all listeners.
        for await states in listener where states.keys.contains(where: { $0.type == .account }) { break }
        // It is left alone from then on, and its mail can be read.
        let asked = scene.script.now.rounds
        await scene.test.kernel.accounts.tryAgain()
        scene.test.clock.advance(by: 3600)
        await scene.test.settle()
        #expect(scene.script.now.rounds == asked)
        #expect(try await scene.test.emailIDs().count == 3)
    }

    /// What a user does meanwhile is no reason to ask the service more often.
    @Test func isNotAskedMoreOftenBecauseSomethingIsChanged() async throws {
        let scene = try await Scene()
        scene.test.server.setPassword(Self.newPassword, of: Self.ada)
        await scene.test.kernel.accounts.tryAgain()
        await scene.test.settle()
        let id = try #require(try await scene.test.emailIDs().first)
        for keyword in 0..<6 {
            try await scene.test.kernel.mail.update(
                [EmailUpdate(id, in: scene.test.ada, addKeywords: [Keyword("k\(keyword)")])],
                in: scene.test.ada)
            await scene.test.settle()
        }
        #expect(try await scene.account().status == .active)
    }

    /// Once in a while a service refuses what it accepts a moment later.
    @Test(arguments: [nil, AccountError.badAnswer("nonsense")])
    func staysActiveThoughItIsRefusedNowAndThen(_ ofOneMailbox: AccountError?) async throws {
        let scene = try await Scene()
        let feed = try #require(
            try await scene.test.kernel.accounts.session(scene.test.ada)?.mailboxes().feeds.first)
        if let ofOneMailbox { scene.script.change { $0.failingFeeds = [feed.id: ofOneMailbox] } }
        for _ in 0..<5 {
            scene.script.change { $0.mailboxErrors = [.authenticationRequired(reason: "Not now")] }
            await scene.test.kernel.accounts.refresh(scene.test.ada)
            try await scene.test.wait(for: "the refusal") { scene.script.now.mailboxErrors.isEmpty }
            await scene.test.settle()
            let rounds = scene.script.now.rounds
            scene.test.clock.advance(by: 60)
            try await scene.test.wait(for: "the next try") { scene.script.now.rounds > rounds }
            await scene.test.settle()
        }
        #expect(try await scene.account().status == .active)
    }

    /// Each try asks the user to unlock the store.
    @Test func waitsForTheUserWhileTheStoreOfItsSecretsIsLocked() async throws {
        let scene = try await Scene()
        func isAskedOnce(after: () async throws -> Void) async throws {
            scene.script.change { $0.mailboxErrors = [.secrets(.locked)] }
            try await after()
            try await scene.test.wait(for: "a try") { scene.script.now.mailboxErrors.isEmpty }
            await scene.test.settle()
            #expect(scene.phase == .waiting)
        }
        try await isAskedOnce { await scene.test.kernel.accounts.refresh(scene.test.ada) }
        let rounds = scene.script.now.rounds
        let id = try #require(try await scene.test.emailIDs().first)
        for pause in [5.0, 15, 45, 120, 1200, 1800] {
            scene.test.clock.advance(by: pause)
            try await scene.test.kernel.mail.update(
                [EmailUpdate(id, in: scene.test.ada, addKeywords: [Keyword("k\(Int(pause))")])],
                in: scene.test.ada)
            await scene.test.settle()
        }
        #expect(scene.script.now.rounds == rounds, "the user was asked again")
        try await isAskedOnce { await scene.test.kernel.accounts.refresh(scene.test.ada) }
        try await isAskedOnce { await scene.test.kernel.accounts.tryAgain() }
        try await isAskedOnce { scene.test.clock.advance(by: 3600) }
        await scene.test.kernel.accounts.tryAgain()
        try await scene.test.wait(for: "the account to go on") { scene.phase == .listening }
    }

    @Test func isStillInactiveAfterARestartAndSaysWhy() async throws {
        let scene = try await Scene()
        try await scene.losesItsSignIn()
        let sentence = scene.test.kernel.accounts.status.all.statuses[scene.test.ada]?.problem
        await scene.test.kernel.stop()
        let again = try await TestKernel(
            on: scene.disk, clock: scene.test.clock, server: scene.test.server, secrets: scene.secrets)
        let status = again.kernel.accounts.status.all.statuses[again.ada]
        #expect(status?.phase == .failed && status?.problem == sentence && sentence?.isEmpty == false)
        #expect(again.server.watchers(of: Self.ada) == 0)
    }

    @Test func goesOnOnceItHasSignedInAgain() async throws {
        let scene = try await Scene()
        try await scene.losesItsSignIn()
        let id = try #require(try await scene.test.emailIDs().first)
        try await scene.test.kernel.mail.update(
            [EmailUpdate(id, in: scene.test.ada, addKeywords: [.flagged])], in: scene.test.ada)
        scene.test.server.deliver(
            Data("Subject: Missed\r\nMessage-ID: <missed@example.org>\r\n\r\n".utf8), to: Self.ada)
        let account = try await scene.test.kernel.accounts.reauthenticate(
            scene.test.ada, with: [scene.candidate()])
        #expect(account.status == .active && account.settings["note"] == "new")
        await scene.test.settle()
        #expect(try await scene.account() == account)
        #expect(try await scene.test.emailIDs().count == 4)
        #expect(scene.test.server.messages(of: Self.ada).contains { $0.keywords.contains(.flagged) })
        #expect(try await scene.test.kernel.notices.all().isEmpty)
        #expect(scene.test.kernel.accounts.status.all.statuses[scene.test.ada]?.phase == .listening)
    }

    @Test func signingInAgainDoesNotQueueWhatIsCalledBackMeanwhile() async throws {
        for _ in 0..<(Sweep.isThorough ? 30 : 6) {
            let scene = try await Scene()
            try await scene.losesItsSignIn()
            let id = try await scene.submit(1)
            async let active = scene.test.kernel.accounts.reauthenticate(
                scene.test.ada, with: [scene.candidate()])
            async let canceled = scene.test.kernel.outbox.cancel(id, in: scene.test.ada)
            _ = try await active
            #expect(try await canceled != nil)
            #expect(try await scene.queued.isEmpty)
            await scene.test.kernel.stop()
        }
    }

    @Test func keepsItsQueuedMailInItsPlaceHoweverLong() async throws {
        let scene = try await Scene()
        scene.test.server.setPassword(Self.newPassword, of: Self.ada)
        let first = try await scene.submit(1)
        scene.test.clock.advance(by: 6)
        try await scene.test.wait(for: "a try") { scene.script.now.submitted.count == 1 }
        await scene.test.kernel.outbox.settle()
        try await scene.losesItsSignIn()
        let second = try await scene.submit(2)
        for _ in 0..<30 {
            scene.test.clock.advance(by: 3600)
            await scene.test.kernel.outbox.settle()
        }
        let third = try await scene.submit(3)
        #expect(try await scene.queued.map(\.id) == [first, second, third])
        try await scene.test.kernel.accounts.reauthenticate(scene.test.ada, with: [scene.candidate()])
        try await scene.test.wait(for: "all to be sent") {
            scene.test.clock.advance(by: 6)
            return try await scene.test.storage.submissions(nil, in: scene.test.ada)
                .allSatisfy { $0.sendState == .sent }
        }
        // The first one was tried before, in vain.
        let subjects = scene.script.now.submitted.suffix(3).map {
            String(decoding: $0.message, as: UTF8.self)
        }
        for (number, text) in subjects.enumerated() { #expect(text.contains("Letter \(number + 1)")) }
    }

    @Test func isNotTakenOverBySomebodyElse() async throws {
        let scene = try await Scene()
        try await scene.losesItsSignIn()
        let before = try await scene.account()
        let kernel = scene.test.kernel
        await #expect {
            try await kernel.accounts.reauthenticate(
                scene.test.ada, with: [scene.candidate("grace@example.org", password: Secret("hopper"))])
        } throws: { error in
            "\(error)".contains("You signed in as grace@example.org")
        }
        await #expect(throws: AccountError.self) {
            try await kernel.accounts.reauthenticate(
                scene.test.ada, with: [scene.candidate(password: Secret("wrong"))])
        }
        #expect(try await scene.account() == before)
        #expect(scene.secrets.drawer(scene.test.ada).secret(named: "password") == Secret("lovelace"))
    }

    @Test func canBeRemoved() async throws {
        let scene = try await Scene()
        try await scene.losesItsSignIn()
        try await scene.test.kernel.accounts.remove(scene.test.ada)
        #expect(try await scene.test.kernel.notices.all().isEmpty)
        #expect(scene.test.kernel.accounts.status.all.statuses[scene.test.ada] == nil)
    }

    /// The user signs in again on their own account, before anything was given up.
    @Test func canSignInAgainWhileItIsActive() async throws {
        let scene = try await Scene()
        scene.test.server.setPassword(Self.newPassword, of: Self.ada)
        try await scene.test.kernel.accounts.reauthenticate(scene.test.ada, with: [scene.candidate()])
        await scene.test.settle()
        #expect(try await scene.account().status == .active)
        #expect(scene.test.server.watchers(of: Self.ada) == 1)
    }

    /// A setting that is changed at the same moment does not bring the old status back.
    @Test func staysInactiveWhenItsSettingsAreChanged() async throws {
        let scene = try await Scene()
        var stale = try await scene.account()
        try await scene.losesItsSignIn()
        stale.displayName = "Countess"
        try await scene.test.kernel.accounts.update(stale)
        #expect(try await scene.account().status == .inactive)
        #expect(try await scene.account().displayName == "Countess")
    }
}

/// FR-SYNC-02.
@Suite("Reading goes on with what is here") struct ReadingAnewTests {
    /// A damaged store keeps documents, cursors among them, and loses the mail that they stand for.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func mailThatTheStoreLostIsReadAgain(_ layout: MemoryMailServer.Layout) async throws {
        let disk = MemoryStorage.Disk()
        let secrets = SecretDrawers()
        let first = try await TestKernel(messages: 20, layout: layout, on: disk, secrets: secrets)
        await first.kernel.stop()
        for id in try await first.emailIDs().dropFirst(4) {
            _ = try await first.storage.commit(ChangeSet([.destroyEmail(id, in: first.ada)]))
        }
        try await first.kernel.store.readAnew(clock: first.clock)
        let second = try await TestKernel(
            on: disk, clock: first.clock, server: first.server, secrets: secrets)
        #expect(try await second.emailIDs().count == 20)
    }

    /// A reading that began before the window grew must not keep the older mail away.
    @Test func aWindowThatGrowsDuringAReadingBringsOlderMail() async throws {
        let script = Script()
        let test = try await TestKernel(
            layout: .folders, batchSize: 2, isStarted: false, wrap: { ScriptedSession($0, script) })
        let now = test.clock.now
        for day in 0..<50 {
            test.server.deliver(
                Data("Subject: \(day)\r\nMessage-ID: <\(day)@example.org>\r\n\r\n".utf8),
                to: "ada@example.org",
                receivedAt: now - Double(day) * 86_400 - 60)
        }
        var account = test.accounts[0]
        account.syncWindowDays = 60
        let (kernel, wider) = (test.kernel, account)
        script.change { contents in
            contents.beforeBatch = { number in
                if number == 4 { try? await kernel.accounts.update(wider) }
            }
        }
        try await test.start()
        try await test.wait(for: "all") { try await test.emailIDs().count == 50 }
    }
}
