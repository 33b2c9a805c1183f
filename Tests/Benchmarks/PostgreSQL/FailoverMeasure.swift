import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization
import TestSupport

/// A user works with the program while the primary of its store is killed and a standby promoted.
enum FailoverMeasure {
    private static let rounds = 5
    private static let account = MailGenerator.account
    private static let size = 500

    static func run(_ report: inout Report) async throws {
        let cluster = try await BenchCluster()
        var process: BenchProcess?
        do {
            let folder = try TemporaryFolder()
            let store = try await BenchStore(
                in: folder.url, plugin: "PostgreSQLStorage", settings: cluster.settings)
            let generator = MailGenerator(count: size)
            try await store.fill(account, with: (0..<size).map(generator.message))
            await store.backend.close()
            withExtendedLifetime(folder) {}
            let started = try await BenchComputer(cluster.settings).start()
            process = started
            let pauses = try await pauses(started, cluster)
            report.add(
                Figure(
                    "postgresql.failover",
                    "the longest of \(rounds) pauses of a user who stars messages and opens the mailbox, when the "
                        + "primary is killed and a standby promoted at once; median "
                        + "\(rounded(Waiting(pauses).median)) s",
                    pauses.worst, "s", against: "3 s", 3))
        } catch {
            report.fail("postgresql.failover", "\(error)")
        }
        await process?.end()
        await cluster.stop()
    }

    private static func pauses(_ process: BenchProcess, _ cluster: BenchCluster) async throws -> Samples {
        let work = Work()
        async let whole: Void = onThread { try use(process, work) }
        var samples = Samples()
        do {
            for _ in 0..<rounds {
                try await Task.sleep(for: .seconds(2))
                let killed = ContinuousClock.now
                try await cluster.failOver()
                try await Task.sleep(for: .seconds(6))
                samples.add(work.longestPause(after: killed) / 1_000)
                try await cluster.mend()
            }
        } catch {
            work.end()
            try? await whole
            throw error
        }
        work.end()
        try await whole
        return samples
    }

    /// Tries again what fails, as the page does.
    private static func use(_ process: BenchProcess, _ work: Work) throws {
        let user = try BenchUser(process)
        var number = 0
        while !work.isOver {
            do {
                let (email, isOn) = (GeneratedMessage.id(number % size), number / size % 2 == 0)
                try user.star(email, isOn, in: account.rawValue)
                try user.open(account.rawValue)
                work.did()
                number += 1
            } catch {
                usleep(20_000)
                try user.reconnect()
            }
        }
    }
}

/// When a user got done what they wanted.
private final class Work: Sendable {
    private struct State {
        var times: [ContinuousClock.Instant] = []
        var isOver = false
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    func did() { state.withLock { $0.times.append(.now) } }

    /// In milliseconds, up to now.
    func longestPause(after start: ContinuousClock.Instant) -> Double {
        let times = state.withLock { $0.times }
        let before = times.last { $0 <= start }
        let points = (before.map { [$0] } ?? [start]) + times.filter { $0 > start } + [.now]
        return zip(points, points.dropFirst()).map { ($1 - $0).milliseconds }.max() ?? .nan
    }
}
