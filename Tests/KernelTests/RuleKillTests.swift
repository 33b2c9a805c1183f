import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Rules
import Synchronization
import Testing

@testable import Mail

/// ORG-10: a kill between fetch and rule neither skips nor repeats one.
@Suite("Rules run exactly once, wherever the program is killed") struct RuleKillTests {
    /// Several batches, so that fetching and rules overlap.
    private static let count = Sweep.isThorough ? 300 : 30
    private static let batchSize = Sweep.isThorough ? 40 : 8
    private static let forwards = Sweep.isThorough ? 6 : 2
    private static let rules = """
        require ["fileinto", "imap4flags", "mailbox", "copy"];
        # rule:[Bills]
        if header :contains "subject" "bill" { addflag "\\\\Flagged"; fileinto :create "Bills"; }
        # rule:[On]
        if header :contains "subject" "forward" { redirect :copy "grace@example.org"; }
        """

    private static func subject(_ number: Int) -> String {
        if number % (count / forwards) == 7 { return "forward \(number)" }
        return number % 3 == 0 ? "bill \(number)" : "hello \(number)"
    }

    @Test(.timeLimit(.minutes(Sweep.isThorough ? 120 : 10)), arguments: MemoryMailServer.Layout.allCases)
    func whereverItIsKilled(_ layout: MemoryMailServer.Layout) async throws {
        let writes = try await Sweep.calls(every: 4) { try await isKilled(atWrite: $0 - 1, layout) }
        #expect(writes > 20, "there are more writes than \(writes)")
    }

    /// Returns whether there was such a write.
    private func isKilled(atWrite number: Int, _ layout: MemoryMailServer.Layout) async throws -> Bool {
        let disk = MemoryStorage.Disk()
        let secrets = SecretDrawers()
        let clock = ManualClock()
        let server = MemoryMailServer(
            logins: MemoryAccountPlugin.logins, layout: layout, batchSize: Self.batchSize, clock: clock)
        let first = try await TestKernel(on: disk, clock: clock, server: server, secrets: secrets)
        try await RuleScene(test: first).useRules(Self.rules)
        let end = Ending()
        disk.stop(afterWrites: number) {
            end.isReached.withLock { $0 = true }
            server.setOutage(.offline)
        }
        for number in 0..<Self.count {
            server.deliver(
                RuleScene.mail("m\(number)", subject: Self.subject(number)), to: RuleScene.ada)
        }
        // What is written until then may be anything between the first batch and the last rule.
        try await first.wait(for: "the end, or the kill") {
            if end.isReached.withLock({ $0 }) { return true }
            return await isOver(first)
        }
        await first.settle()
        await first.kernel.stop()
        let wasKilled = disk.goOn()
        server.setOutage(nil)

        let second = try await TestKernel(on: disk, clock: clock, server: server, secrets: secrets)
        let scene = RuleScene(test: second)
        let pace = Pace()
        try await second.wait(for: "all mail, and what rules send") {
            let hasAll = try await scene.places().count == Self.count
            if hasAll, await isOver(second), try await isSent(scene) { return true }
            if pace.isDue { clock.advance(by: 300) }
            return false
        }
        try await check(scene, "killed at write \(number)")
        await second.kernel.stop()
        return wasKilled
    }

    private final class Ending: Sendable {
        let isReached = Mutex(false)
    }

    /// What could not be done at once is tried again later. The clock moves on slowly enough for the work in between.
    private final class Pace: Sendable {
        private let last = Mutex(ContinuousClock.now)

        var isDue: Bool {
            last.withLock { last in
                guard last.duration(to: .now) > .milliseconds(400) else { return false }
                last = .now
                return true
            }
        }
    }

    private func isSent(_ scene: RuleScene) async throws -> Bool {
        let submissions = try await scene.test.storage.submissions(nil, in: scene.test.ada)
        return submissions.count >= Self.forwards
            && submissions.allSatisfy { [.sent, .failed].contains($0.sendState) }
    }

    private func isOver(_ test: TestKernel) async -> Bool {
        let scene = RuleScene(test: test)
        guard let count = try? await test.emailIDs().count, let rules = try? await scene.waiting("arrival"),
            let mails = try? await scene.waiting("automatic-mail")
        else { return true }
        return count >= Self.count && rules == 0 && mails == 0
    }

    private func check(_ scene: RuleScene, _ comment: Comment) async throws {
        let places = try await scene.places()
        #expect(places.count == Self.count, comment)
        var bills = 0
        for number in 0..<Self.count {
            let isBill = Self.subject(number).hasPrefix("bill")
            if isBill { bills += 1 }
            let expected: Set<String> = isBill ? ["Bills", "$flagged"] : ["Inbox"]
            // Where the service keeps a copy of what was sent on, it has the same id.
            let found = places["m\(number)@example.org"]?.filter { !$0.contains("Sent") }
            #expect(found == [expected], comment)
        }
        let actions = try await scene.actions.filter { $0.client == "Rule “Bills”" }
        #expect(actions.reduce(0) { $0 + $1.changed } == bills, comment)
        // A message that was being handed over is not sent again unless that is safe: the user decides.
        let sent = scene.arrivedAtGrace
        let stuck = try await scene.test.storage.submissions(nil, in: scene.test.ada)
            .filter { $0.sendState == .failed && $0.mayHaveBeenSent }
        let ids = sent.compactMap { $0.split(separator: "\r\n").first { $0.hasPrefix("Message-ID") } }
        #expect(Set(ids).count == sent.count, comment)
        #expect((Self.forwards - stuck.count...Self.forwards).contains(sent.count), comment)
        #expect(try await scene.problems.map(\.sentence) == [], comment)
    }
}
