import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// Many programs on one server, each a process with a busy user and a schema of its own, as in an office.
enum KernelsMeasure {
    private static let count = 20
    private static let duration = Duration.seconds(40)
    private static let account = MailGenerator.account

    static func run(_ report: inout Report, _ selection: PostgreSQLSelection) async throws {
        let size = min(10_000, max(100, (selection.sizes?.first ?? 20_000) / count))
        let messages = (0..<size).map { MailGenerator(count: size).message($0) }
        let theirs = try await opening(messages, on: nil)
        // Each program has up to nine connections.
        let server = try await BenchServer(connections: 300)
        do {
            let ours = try await opening(messages, on: server)
            report.add(
                Figure(
                    "postgresql.kernels.programs-\(count)",
                    "p95 of the opening batch of \(count) programs at once, each a process with \(size) messages "
                        + "and a user who opens the mailbox and stars a message every second; \(ours.besides). "
                        + "With SQLite: \(theirs.description)",
                    ours.p95, "ms", against: "30 ms", 30))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func opening(
        _ messages: [GeneratedMessage], on server: BenchServer?
    ) async throws -> Waiting {
        var processes: [BenchProcess] = []
        do {
            var computers: [BenchComputer] = []
            for number in 0..<count { computers.append(try await computer(number, messages, on: server)) }
            try await server?.vacuum()
            for computer in computers { processes.append(try await computer.start()) }
            let samples = try await work(processes, messages.count)
            await end(processes)
            return Waiting(samples)
        } catch {
            await end(processes)
            throw error
        }
    }

    private static func computer(
        _ number: Int, _ messages: [GeneratedMessage], on server: BenchServer?
    ) async throws -> BenchComputer {
        let settings = server?.settings(.socket, schema: "kernel_\(number)")
        let computer = try BenchComputer(settings)
        let folder = try TemporaryFolder()
        let store =
            if let settings {
                try await BenchStore(in: folder.url, plugin: "PostgreSQLStorage", settings: settings)
            } else {
                try await BenchStore(in: computer.sqliteFolder())
            }
        try await store.fill(account, with: messages)
        await store.backend.close()
        withExtendedLifetime(folder) {}
        return computer
    }

    private static func end(_ processes: [BenchProcess]) async {
        for process in processes { process.signal(SIGTERM) }
        for process in processes { await process.end() }
    }

    /// All users at once, each on a thread.
    private static func work(_ processes: [BenchProcess], _ size: Int) async throws -> Samples {
        try await withThrowingTaskGroup(of: Samples.self) { group in
            for (number, process) in processes.enumerated() {
                group.addTask { try await onThread { try use(process, UInt64(number), size) } }
            }
            var all = Samples()
            for try await samples in group { for value in samples.values { all.add(value) } }
            return all
        }
    }

    /// What happens in the first seconds is not counted: everybody has begun by then.
    private static func use(_ process: BenchProcess, _ seed: UInt64, _ size: Int) throws -> Samples {
        var random = SeededRandom(seed)
        let user = try BenchUser(process)
        let start = ContinuousClock.now + .seconds(3)
        var samples = Samples()
        while .now < start + duration {
            usleep(UInt32.random(in: 250_000...750_000, using: &random))
            let began = ContinuousClock.now
            try user.open(account.rawValue)
            if began > start { samples.add((ContinuousClock.now - began).milliseconds) }
            usleep(UInt32.random(in: 250_000...750_000, using: &random))
            let email = GeneratedMessage.id(Int.random(in: 0..<size, using: &random))
            try user.star(email, Bool.random(using: &random), in: account.rawValue)
        }
        return samples
    }
}
