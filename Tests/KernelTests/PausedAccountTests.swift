import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Accounts
@testable import Sync

/// ACC-91.
@Suite("A paused account neither fetches nor sends", .timeLimit(.minutes(5))) struct PausedAccountTests {
    private static let ada = "ada@example.org"

    private struct Scene {
        let test: TestKernel
        let script = Script()
        let disk: MemoryStorage.Disk
        let secrets: SecretDrawers

        init(
            on disk: MemoryStorage.Disk = MemoryStorage.Disk(), secrets: SecretDrawers = SecretDrawers(),
            after other: TestKernel? = nil
        ) async throws {
            (self.disk, self.secrets) = (disk, secrets)
            let script = script
            test = try await TestKernel(
                messages: other == nil ? 3 : 0, on: disk, clock: other?.clock ?? ManualClock(),
                server: other?.server, secrets: secrets, wrap: { ScriptedSession($0, script) })
            // The script tells of one account alone.
            if other == nil { try await test.kernel.accounts.remove(test.grace) }
        }

        var accounts: Accounts { test.kernel.accounts }

        func account() async throws -> Account {
            try #require(try await test.storage.accounts().first { $0.id == test.ada })
        }

        func submit(_ subject: String) async throws -> Id<EmailSubmission> {
            let message = Data(
                "From: ada@example.org\r\nTo: grace@example.org\r\nSubject: \(subject)\r\n\r\nHello\r\n".utf8)
            let stored = try await test.kernel.mail.add(
                message, to: [try await test.mailbox(.drafts)], keywords: [.draft],
                receivedAt: test.clock.now, in: test.ada)
            let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
            return try await test.kernel.outbox.submit(
                message, of: stored, as: identity,
                envelope: Envelope(mailFrom: PausedAccountTests.ada, rcptTo: ["grace@example.org"])
            ).id
        }

        func submission(_ id: Id<EmailSubmission>) async throws -> EmailSubmission {
            try #require(try await test.storage.submissions([id], in: test.ada).first)
        }

        func deliver(_ subject: String) {
            test.server.deliver(
                Data("Subject: \(subject)\r\nMessage-ID: <\(subject)@example.org>\r\n\r\n".utf8),
                to: PausedAccountTests.ada)
        }

        func hasMail(_ subject: String) async throws -> Bool {
            let query = EmailQuery(in: [test.ada], filter: .subject(subject), limit: 10)
            return try await !test.storage.queryEmails(query).hits.isEmpty
        }

        func pass(hours: Int) async {
            for _ in 0..<hours {
                test.clock.advance(by: 3600)
                await test.kernel.outbox.settle()
                await test.settle()
            }
        }
    }

    @Test func untilItIsResumed() async throws {
        let scene = try await Scene()
        let before = try await scene.submit("Before")
        try await scene.accounts.pause(scene.test.ada)
        #expect(try await scene.account().status == .inactive)
        #expect(try await scene.accounts.isPaused(scene.account()))
        let rounds = scene.script.now.rounds
        scene.deliver("Missed")
        let id = try #require(try await scene.test.emailIDs().first)
        try await scene.test.kernel.mail.update(
            [EmailUpdate(id, in: scene.test.ada, addKeywords: [.flagged])], in: scene.test.ada)
        let after = try await scene.submit("After")
        await scene.accounts.refresh(scene.test.ada)
        await scene.accounts.tryAgain()
        await scene.pass(hours: 30)
        #expect(scene.script.now.rounds == rounds && scene.script.now.submitted.isEmpty)
        #expect(try await !scene.hasMail("Missed"))
        for id in [before, after] {
            let waiting = try await scene.submission(id)
            #expect(waiting.sendState == .queued && waiting.failure == AccountPause.sentence)
        }
        #expect(try await scene.test.email(id).keywords.contains(.flagged), "the mail can be changed")

        try await scene.accounts.resume(scene.test.ada)
        try await scene.test.wait(for: "both to be sent") {
            scene.test.clock.advance(by: 6)
            return try await scene.test.storage.submissions(nil, in: scene.test.ada)
                .allSatisfy { $0.sendState == .sent }
        }
        try await scene.test.wait(for: "the mail") { try await scene.hasMail("Missed") }
        try await scene.test.wait(for: "the change to be sent") {
            scene.test.server.messages(of: Self.ada).contains { $0.keywords.contains(.flagged) }
        }
        #expect(scene.script.now.submitted.count == 2)
        #expect(try await !scene.accounts.isPaused(scene.account()))
        await scene.test.kernel.stop()
    }

    @Test func whatWaitedAlreadySaysWhy() async throws {
        let scene = try await Scene()
        scene.script.change { $0.submitErrors = [.offline] }
        let id = try await scene.submit("Hello")
        scene.test.clock.advance(by: 6)
        try await scene.test.wait(for: "a try") { try await scene.submission(id).undoStatus == .final }
        await scene.test.kernel.outbox.settle()
        try await scene.accounts.pause(scene.test.ada)
        #expect(try await scene.submission(id).failure == AccountPause.sentence)
        try await scene.accounts.resume(scene.test.ada)
        try await scene.test.wait(for: "it to be sent") {
            scene.test.clock.advance(by: 30)
            return try await scene.submission(id).sendState == .sent
        }
        await scene.test.kernel.stop()
    }

    @Test func afterARestartToo() async throws {
        let scene = try await Scene()
        try await scene.accounts.pause(scene.test.ada)
        await scene.test.kernel.stop()
        let again = try await Scene(on: scene.disk, secrets: scene.secrets, after: scene.test)
        #expect(try await again.accounts.isPaused(again.account()))
        again.deliver("Missed")
        await again.pass(hours: 2)
        #expect(again.script.now.rounds == 0 && again.test.server.watchers(of: Self.ada) == 0)
        #expect(again.accounts.status.all.statuses[again.test.ada]?.problem == nil)
        try await again.accounts.resume(again.test.ada)
        try await again.test.wait(for: "the mail") { try await again.hasMail("Missed") }
        await again.test.kernel.stop()
    }

    /// Either it is paused as a whole, or not at all.
    @Test func killedAtAnyWrite() async throws {
        _ = try await Sweep.calls(every: 1) { number in
            let scene = try await Scene()
            scene.disk.stop(afterWrites: number - 1)
            try? await scene.accounts.pause(scene.test.ada)
            await scene.test.kernel.stop()
            let wasKilled = scene.disk.goOn()
            let again = try await Scene(on: scene.disk, secrets: scene.secrets, after: scene.test)
            let isPaused = try await again.accounts.isPaused(again.account())
            #expect(isPaused == (try await again.account().status == .inactive))
            #expect(try await again.test.kernel.notices.all().isEmpty)
            try await again.accounts.resume(again.test.ada)
            #expect(try await again.account().status == .active)
            await again.test.kernel.stop()
            return wasKilled
        }
    }

    @Test func signingInDoesNotEndThePause() async throws {
        let scene = try await Scene()
        try await scene.accounts.pause(scene.test.ada)
        let candidate = AccountCandidate(
            settings: ["address": .string(Self.ada), "note": "new"],
            secrets: ["password": Secret("lovelace")])
        let account = try await scene.accounts.reauthenticate(scene.test.ada, with: [candidate])
        #expect(account.settings["note"] == "new" && account.status == .inactive)
        #expect(try await scene.accounts.isPaused(account))
        #expect(await scene.accounts.sync(scene.test.ada) == nil)
        try await scene.accounts.resume(scene.test.ada)
        try await scene.test.wait(for: "the next round") {
            scene.accounts.status.all.statuses[scene.test.ada]?.phase == .listening
        }
        await scene.test.kernel.stop()
    }

    @Test func oneThatIsSignedOutCannotBePaused() async throws {
        let scene = try await Scene()
        let problem = SignInProblem(sentence: "No.", since: scene.test.clock.now)
        await scene.accounts.setInactive(scene.test.ada, problem)
        await #expect(throws: AccountProblem.notPausable(.signedOut)) {
            try await scene.accounts.pause(scene.test.ada)
        }
        try await scene.accounts.resume(scene.test.ada)
        #expect(try await scene.account().status == .inactive, "only a pause can be resumed")
        await scene.test.kernel.stop()
    }

    @Test func everyKernelOfAStoreKeepsToIt() async throws {
        let pair = try await SharedKernels()
        try await pair.other.kernel.accounts.pause(pair.ada)
        let (one, other) = (pair.one.kernel.accounts, pair.other.kernel.accounts)
        try await pair.pass(for: "the first to stop") { await one.sync(pair.ada) == nil }
        pair.deliver("Missed")
        let id = try await pair.submit(on: pair.one)
        for _ in 0..<20 {
            pair.one.clock.advance(by: 2)
            await pair.one.kernel.outbox.settle()
            await pair.other.kernel.outbox.settle()
        }
        #expect(await one.sync(pair.ada) == nil)
        #expect(await other.sync(pair.ada) == nil)
        #expect(try await !pair.hasMail("Missed"))
        try await pair.pass(1, for: "the reason") {
            try await pair.submission(id).failure == AccountPause.sentence
        }
        #expect(pair.scriptOfOne.now.submitted.isEmpty && pair.scriptOfOther.now.submitted.isEmpty)
        try await one.resume(pair.ada)
        try await pair.pass(for: "the mail") { try await pair.hasMail("Missed") }
        try await pair.pass(for: "the message") { try await pair.submission(id).sendState == .sent }
        await pair.stop()
    }
}
