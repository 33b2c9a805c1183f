import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Accounts
@testable import Kernel
@testable import Mail
@testable import PluginCalls
@testable import Store
@testable import Sync

@Suite("What a provider answers cannot spin, stop or mislead the program") struct HostileAnswerTests {
    private func test(_ change: (inout Script.Contents) -> Void) async throws -> (TestKernel, Script) {
        let script = Script()
        script.change(change)
        let test = try await TestKernel(
            messages: 3, isStarted: false, wrap: { ScriptedSession($0, script) })
        try await test.start()
        return (test, script)
    }

    private func phase(_ test: TestKernel) -> SyncStatus.Phase? {
        test.kernel.accounts.status.all.statuses[test.ada]?.phase
    }

    /// Enough turns for whatever does not wait for the clock.
    private func idle() async {
        for _ in 0..<2_000 { await Task.yield() }
    }

    /// Every one of them is either in the past or never there.
    @Test(arguments: [Double.nan, .infinity, -.infinity, -1e300, 1e300])
    func aTimeThatCannotBeWaitedForIsAPauseLikeAnyOther(_ seconds: Double) async throws {
        let (test, script) = try await test { contents in
            contents.mailboxErrors = (0..<1_000).map { _ in
                .throttled(until: Date(timeIntervalSince1970: seconds))
            }
        }
        try await test.wait(for: "the pause") { phase(test) == .waiting }
        await idle()
        let rounds = script.now.rounds
        #expect(rounds <= 2 * test.accounts.count)
        script.change { $0.mailboxErrors = [] }
        test.clock.advance(by: 3_600)
        try await test.wait(for: "the next round") { phase(test) == .listening }
    }

    /// The longest pause of mail that is read is an hour, too.
    @Test(arguments: [Double.nan, .infinity, 1e300])
    func noMessageWaitsToBeSentForEver(_ seconds: Double) async throws {
        let scene = try await ComposeScene()
        scene.script.change {
            $0.submitErrors = [.throttled(until: Date(timeIntervalSince1970: seconds))]
        }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        for await _ in scene.script.changes() where scene.script.now.submitErrors.isEmpty { break }
        await scene.settle()
        #expect(try await scene.submission(id).sendState == .queued)
        scene.clock.advance(by: 3_600)
        try await scene.wait("sent", id) { $0.sendState == .sent }
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, -1, -.infinity])
    func theClockThatPluginsAreLentCountsAnyNumber(_ seconds: Double) async throws {
        let sleeper = Task { try await WallClock().sleep(for: seconds) }
        if seconds > 0 {
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        } else {
            try await sleeper.value
        }
    }

    @Test func changesThatAreReportedWithoutEndAreReadNowAndThen() async throws {
        let (test, script) = try await test { $0.watchesWithoutEnd = true }
        // They stop nothing.
        try await test.wait(for: "many rounds") { script.now.rounds > 10 }
        #expect(try await test.emailIDs().count == 3)

        var pace = WatchPace()
        let now = ContinuousClock.now
        let waits = (0..<100).map { _ in pace.wait(at: now) }
        #expect(waits.prefix(60).allSatisfy { $0 == nil })
        #expect(waits[60] == .seconds(1) && waits[61] == .seconds(2))
        #expect(pace.wait(at: now + .seconds(200)) == nil)
    }

    /// Which of them an outcome is about could only be guessed: a change that was never made would count as made.
    @Test func anOutcomeTooFewTakesBackNoChange() async throws {
        let (test, script) = try await test { _ in }
        await test.settle()
        script.change { $0.rewritesOutcomes = { $0.removeLast() } }
        let id = try await test.emailIDs()[0]
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        try await test.wait(for: "a try") { !script.now.applied.isEmpty }
        await test.settle()
        #expect(try await PendingChanges(store: test.kernel.store, accountID: test.ada).all().count == 1)
        script.change { $0.rewritesOutcomes = nil }
        test.clock.advance(by: 5)
        try await test.wait(for: "the change at the service") {
            try await PendingChanges(store: test.kernel.store, accountID: test.ada).all().isEmpty
        }
        #expect(try await test.email(id).keywords.contains(.flagged))
    }

    @Test func namesThatCannotBeStoredAreRefused() throws {
        let old = RemoteAddress(feed: Id("inbox"), id: Id("1"))
        let mutation = RemoteMutation.move([old], from: Id("inbox"), to: Id("archive"))
        let good = RemoteAddress(feed: Id("archive"), id: Id("2"))
        let stranger = RemoteAddress(feed: Id("inbox"), id: Id("3"))
        let outcome = MutationOutcome.done(newIDs: [old: good, stranger: good], mailbox: nil)
        #expect(try outcome.held(for: mutation) == .done(newIDs: [old: good], mailbox: nil))
        for name in ["", String(repeating: "x", count: 256)] {
            let bad = MutationOutcome.done(
                newIDs: [old: RemoteAddress(feed: Id("archive"), id: Id(name))], mailbox: nil)
            #expect(throws: AccountError.self) { try bad.held(for: mutation) }
        }
    }

    @Test func settingsNestedWithoutEndAreRefusedAndFreed() throws {
        func candidate(_ depth: Int, _ innermost: JSONValue = 1) -> AccountCandidate {
            var value = innermost
            for level in 0..<depth {
                value = level.isMultiple(of: 2) ? .array([value]) : .object(["a": value])
            }
            return AccountCandidate(settings: ["nest": value], secrets: [:])
        }
        var good = AuthorizationStep.finished([candidate(AnswerLimits.settingsDepth - 1)])
        try good.hold()
        // Nothing else may hold it, or that would have to free it.
        for (depth, innermost) in [(100_000, 1), (1, .number(.nan)), (1, .number(.infinity))]
            as [(Int, JSONValue)]
        {
            var step = AuthorizationStep.finished([candidate(depth, innermost)])
            #expect(throws: AccountError.self) { try step.hold() }
        }
    }

    @Test func textsHoldNoControlCharacters() {
        let reply = SubmissionReply(SMTPReply(code: 550, text: "no\u{0}\u{1B}[2J\n\tway\u{85}\u{202E}"))
        guard case .rejected(let held, _) = SubmissionOutcome.rejected(reply, refused: [:]).held else {
            return
        }
        #expect(held.text == "no[2J\n\tway" && held.smtp?.text == held.text)
    }

    @Test func waysToAddAnAccountLinkToPagesOnly() {
        func setup(_ help: String) -> AccountSetup {
            AccountSetup(id: "a", title: "A", serviceName: "A", helpURL: URL(string: help))
        }
        for help in ["https://example.org/help", "/docs/accounts"] {
            #expect(setup(help).isWithinLimits, "\(help)")
        }
        let long = "https://example.org/" + String(repeating: "x", count: 5_000)
        for help in ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", long] {
            #expect(!setup(help).isWithinLimits, "\(help.prefix(40))")
        }
    }

    @Test func wordsWithoutEndAreCut() {
        let words = "e" + String(repeating: "\u{301}", count: 1_000_000)
        for error in [AccountError.refused(words), .local(reason: words), .badAnswer(words)] {
            #expect(error.held.sentence.utf8.count < 10_000)
        }
    }

    /// What a plugin or a server says can neither forge a line nor steer a terminal.
    @Test func aLineOfTheLogStaysALine() {
        let lines = Mutex<[String]>([])
        let log = LogOutput(least: .error) { line in lines.withLock { $0.append(line) } }
        log.write(.error, "org.example", "one\n2026-01-01 error mailkernel: two\u{1b}[2J\u{9b}2J")
        let line = lines.withLock { $0.joined() }
        #expect(line.filter { $0 == "\n" }.count == 1)
        #expect(!line.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{9b}" })
    }

    @Test func modelsOfAnySizeCanBeAddedUp() async throws {
        let models = ScriptedModels(MemoryModelPlugin.modelProvider(host: .forTesting()))
        let all = try await models.models()
        models.script.withLock { script in
            for model in all { script.sizes[model.id] = .max }
            script.givenUp = Dictionary(all.map { ($0.id, "It is here.") }) { first, _ in first }
        }
        #expect(all.count > 1)
        let test = try await TestKernel(models: ["org.example.models": models])
        #expect(try await test.kernel.storageReport().models > 0)
    }
}
