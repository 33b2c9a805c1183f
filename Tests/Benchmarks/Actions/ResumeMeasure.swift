import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI
import Store
import Synchronization
import TestSupport

/// Snoozed messages that came due while the computer slept, from its resume until they are in the inbox.
///
/// A benchmark cannot put the computer to sleep. To a program, sleep is a wall clock that jumps ahead while timers stood
/// still, so the whole kernel runs on such a clock, with the real store and real timers. How long the computer takes
/// until programs run again is not part of the figure.
enum ResumeMeasure {
    private static let account = MailGenerator.account
    private static let sleep = 3_600.0
    private static let rounds = 10
    /// Resumes come at any moment between two looks at the clock, which are seconds apart.
    private static let phase = 0.43

    static func run(_ report: inout Report) async throws {
        let folder = try TemporaryFolder()
        let store = try await BenchStore(in: folder.url)
        try await store.fill(MailGenerator(count: 2_000))
        _ = try await store.backend.commit(ChangeSet([try ActionBenchmark.mailboxesAreLabels()]))
        let clock = JumpingClock()
        let kernel = MailKernel(
            store: MailStore(store.backend), plugins: [], clock: clock, log: LogOutput(least: .error))
        try await kernel.start()
        let late: Samples
        do {
            late = try await resumes(kernel, clock)
        } catch {
            await kernel.stop()
            throw error
        }
        await kernel.stop()
        await store.backend.close()
        report.add(
            Figure(
                "snooze.resume",
                "p95 of \(rounds) messages due during a simulated sleep, from resume until they are in the inbox",
                late.p95, "ms", against: "5000 ms", 5_000))
    }

    private static func resumes(_ kernel: MailKernel, _ clock: JumpingClock) async throws -> Samples {
        let query = EmailQuery(in: [account], filter: .inRole(.inbox), limit: rounds)
        let ids = try await kernel.store.read.queryEmails(query).hits.map(\.emailID)
        guard ids.count == rounds else { throw BenchError(description: "The inbox is too small.") }
        var late = Samples()
        for (number, id) in ids.enumerated() {
            _ = try await kernel.actions.perform(
                .snooze(until: clock.now + sleep / 2), on: .emails([id]), in: account, client: "bench")
            try await Task.sleep(for: .seconds(1 + Double(number) * phase))
            guard try await !isInInbox(id, kernel) else {
                throw BenchError(description: "A message returned before its time.")
            }
            clock.jump(by: sleep)
            let resumed = ContinuousClock.now
            while try await !isInInbox(id, kernel) {
                guard ContinuousClock.now - resumed < .seconds(60) else {
                    throw BenchError(description: "A message did not return.")
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            late.add((ContinuousClock.now - resumed).milliseconds)
        }
        return late
    }

    private static func isInInbox(_ id: Id<Email>, _ kernel: MailKernel) async throws -> Bool {
        let email = try await kernel.store.read.emails([id], in: account).first?.email
        return email?.mailboxIDs.contains(Id("inbox")) ?? false
    }
}

/// The system's clock, which can jump ahead; timers do not notice.
private final class JumpingClock: HostClock {
    private let ahead = Mutex(0.0)

    var now: Date { Date() + ahead.withLock { $0 } }

    func jump(by seconds: Double) { ahead.withLock { $0 += seconds } }

    func sleep(for seconds: Double) async throws(CancellationError) {
        try await WallClock().sleep(for: seconds)
    }
}
