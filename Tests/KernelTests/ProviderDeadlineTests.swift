import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import PluginHost
import Testing

@testable import Accounts
@testable import Store

@Suite("A call that does not return is given up, and named") struct ProviderDeadlineTests {
    /// One account whose plugin does not answer while the gate is closed, whatever it is told.
    private struct Scene {
        let clock = ManualClock()
        let calls: ProviderCalls
        let session: any AccountSession
        let server: MemoryMailServer
        let gate = Watched(false)
        /// How many calls have come to the gate.
        let arrived = Watched(0)
        let script = Script()

        init() async throws {
            let (clock, gate, arrived, script) = (clock, gate, arrived, script)
            calls = ProviderCalls(clock: clock)
            let server = MemoryMailServer(logins: MemoryAccountPlugin.logins, clock: ManualClock())
            self.server = server
            script.change { $0.aroundCalls = { await Self.wait(at: gate, arrived) } }
            let provider = ScriptedProvider(inner: MemoryAccountProvider(server: server), script: script)
            let record = PluginRecord(
                folder: URL(filePath: "/"), id: "org.example.slow", manifest: nil,
                state: .loaded(.account(provider)))
            let caller = PluginCaller(record, calls: calls, log: LogOutput(least: .error))
            let address = server.logins[0].address
            let account = Account(
                id: Id("A1"), pluginID: record.id, address: address, displayName: address,
                addedAt: clock.now, settings: ["address": .string(address)])
            let secrets = MemorySecrets()
            secrets.store(server.logins[0].password, named: "password")
            session = try await ContainedProvider(inner: provider, caller: caller)
                .session(for: account, secrets: secrets)
        }

        static func wait(at gate: Watched<Bool>, _ arrived: Watched<Int>) async {
            arrived.withLock { $0 += 1 }
            // Not even when it is cancelled.
            await Task { for await _ in gate.changes() where gate.value { return } }.value
        }

        func arrival(of count: Int = 1) async {
            for await _ in arrived.changes() where arrived.value >= count { return }
        }

        /// Moves the clock once the watch over the calls sleeps by it.
        func pass(_ seconds: Double) async {
            await clock.waitForSleepers()
            clock.advance(by: seconds)
        }

        func open() async {
            gate.withLock { $0 = true }
            while !calls.outstanding.isEmpty { await Task.yield() }
        }
    }

    private struct ScriptedProvider: AccountProvider {
        let inner: MemoryAccountProvider
        let script: Script
        var setups: [AccountSetup] { inner.setups }

        func authorize(_ step: AuthorizationAnswer) throws(AccountError) -> AuthorizationStep {
            try inner.authorize(step)
        }
        func validate(_ candidate: AccountCandidate) throws(AccountError) -> ValidatedAccount {
            try inner.validate(candidate)
        }
        func session(
            for account: Account, secrets: any SecretStore
        ) throws(AccountError) -> any AccountSession {
            ScriptedSession(try inner.session(for: account, secrets: secrets), script)
        }
        func revoke(_ account: Account, secrets: any SecretStore) {}
    }

    private static let message = Data("Subject: A\r\n\r\nText".utf8)
    private static let envelope = Envelope(mailFrom: "ada@example.org", rcptTo: ["grace@example.org"])
    private static let sentence =
        "The plugin “org.example.slow” did not respond to “mailboxes” within 15 minutes. Try again later; if that "
        + "does not help, restart mailkernel or turn the plugin off."

    @Test func theCallerLearnsWhichPluginDidNotAnswerWhat() async throws {
        let scene = try await Scene()
        let call = Task { [session = scene.session] in try await session.mailboxes() }
        await scene.arrival()
        await scene.pass(14 * 60)
        await scene.pass(60)
        await #expect(throws: AccountError.local(reason: Self.sentence)) { try await call.value }
        // What stops the program goes on naming it until it returns, and nothing comes of that.
        #expect(scene.calls.outstanding.map(\.name) == ["mailboxes"])
        await scene.open()
        #expect(try await scene.session.mailboxes().mailboxes.isEmpty == false)
    }

    @Test func afterManyCallsThatDidNotReturnThePluginIsNotAskedAgain() async throws {
        let scene = try await Scene()
        let calls = (0..<PluginThreads.most).map { _ in
            Task { [session = scene.session] in try await session.mailboxes() }
        }
        await scene.arrival(of: calls.count)
        await scene.pass(15 * 60)
        for call in calls { await #expect(throws: AccountError.self) { try await call.value } }
        let error = await #expect(throws: AccountError.self) { try await scene.session.mailboxes() }
        #expect(error?.sentence.contains("has not responded to 8 earlier calls") == true)
        #expect(scene.arrived.value == calls.count)
        await scene.open()
        _ = try await scene.session.mailboxes()
    }

    @Test func aPluginThatAsksForBytesIsNotSilent() async throws {
        let scene = try await Scene()
        let source = SlowSource(Self.message, clock: scene.clock, seconds: 20 * 60)
        _ = try await scene.session.submit(source, envelope: Self.envelope)
        #expect(source.reads.value > 0)
        #expect(scene.server.messages(of: "grace@example.org").count == 1)
    }

    @Test func whatWasGivenUpCanUseNothingMore() async throws {
        let scene = try await Scene()
        let (gate, arrived) = (scene.gate, scene.arrived)
        scene.script.change { $0.beforeSubmit = { _ in await Scene.wait(at: gate, arrived) } }
        let source = SlowSource(Self.message, clock: scene.clock, seconds: 0)
        let call = Task { [session = scene.session] in
            try await session.submit(source, envelope: Self.envelope)
        }
        await scene.arrival()
        await scene.pass(20 * 60)
        // None of it was read, so none of it can have been sent, now or later.
        await #expect(throws: AccountError.self) { try await call.value }
        await scene.open()
        #expect(source.reads.value == 0)
        #expect(scene.server.messages(of: "grace@example.org").isEmpty)
    }

    @Test func aSubmissionThatWasReadMayHaveBeenSent() async throws {
        let scene = try await Scene()
        let (gate, arrived) = (scene.gate, scene.arrived)
        scene.script.change { $0.afterReading = { await Scene.wait(at: gate, arrived) } }
        let call = Task { [session = scene.session] in
            try await session.submit(DataSource(Self.message), envelope: Self.envelope)
        }
        await scene.arrival()
        await scene.pass(20 * 60)
        #expect(try await call.value == .unknown)
        // As long as it may still be sending, nothing else is sent.
        let error = await #expect(throws: AccountError.self) {
            try await scene.session.submit(DataSource(Self.message), envelope: Self.envelope)
        }
        #expect(error?.sentence.contains("may still be sending") == true)
        #expect(scene.arrived.value == 1)
    }

    /// FR-COMP-02: nothing is sent twice.
    @Test func whatWasGivenUpWhileSendingIsLookedForAndSentOnce() async throws {
        let clock = ManualClock()
        let scene = try await ComposeScene(providerCalls: ProviderCalls(clock: clock))
        let (gate, arrived) = (Watched(false), Watched(0))
        scene.script.change { $0.afterReading = { await Scene.wait(at: gate, arrived) } }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        for await _ in arrived.changes() where arrived.value == 1 { break }
        await clock.waitForSleepers()
        clock.advance(by: 20 * 60)
        try await scene.wait("a pause", id) { $0.mayHaveBeenSent && $0.nextTryAt != nil }
        scene.clock.advance(by: 30)
        try await scene.wait("the next try", id) { $0.tries == 2 && $0.nextTryAt != nil }
        #expect(try await scene.submission(id).failure?.contains("may still be sending") == true)
        // It goes out after all: the next try finds it.
        gate.withLock { $0 = true }
        try await scene.test.wait(for: "the message") { scene.delivered == ["A"] }
        scene.clock.advance(by: 120)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"] && scene.script.now.submitted.count == 1)
    }
}

/// Bytes that take their time, which is not the plugin's.
private final class SlowSource: ByteSource {
    private let inner: DataSource
    private let clock: ManualClock
    private let seconds: Double
    let reads = Watched(0)

    init(_ bytes: Data, clock: ManualClock, seconds: Double) {
        inner = DataSource(bytes)
        self.clock = clock
        self.seconds = seconds
    }

    var size: Int { inner.size }

    func read(at offset: Int, count: Int) async -> Data {
        reads.withLock { $0 += 1 }
        await clock.waitForSleepers()
        clock.advance(by: seconds)
        // The watch has looked at the call when it sleeps again.
        await clock.waitForSleepers()
        return inner.read(at: offset, count: count)
    }
}
