import FoundationEssentials
import MailKernelAPI
import TestSupport

/// A change on one computer, until the page of another one that shares the store was told of it and reads it.
enum VisibleMeasure {
    private static let changes = 100
    private static let account = MailGenerator.account

    static func run(_ report: inout Report) async throws {
        let server = try await BenchServer()
        var processes: [BenchProcess] = []
        do {
            let settings = server.settings(.socket, schema: "visible")
            let folder = try TemporaryFolder()
            let store = try await BenchStore(
                in: folder.url, plugin: "PostgreSQLStorage", settings: settings)
            let generator = MailGenerator(count: 200)
            try await store.fill(account, with: (0..<200).map(generator.message))
            await store.backend.close()
            withExtendedLifetime(folder) {}
            let computers = [try BenchComputer(settings), try BenchComputer(settings)]
            for computer in computers { processes.append(try await computer.start()) }
            let times = try await measure(BenchUser(processes[0]), BenchUser(processes[1]))
            report.add(
                Figure(
                    "postgresql.visible",
                    "p95 from a change on one program until it is read on another with the same store, "
                        + "\(changes) changes; \(times.besides)",
                    times.p95, "ms", against: "300 ms", 300))
        } catch {
            report.fail("postgresql.visible", "\(error)")
        }
        for process in processes { await process.end() }
        await server.stop()
    }

    private static func measure(_ one: BenchUser, _ other: BenchUser) async throws -> Waiting {
        try other.listen()
        var random = SeededRandom(7)
        var samples = Samples()
        for number in 0..<changes {
            // Programs look for changes at intervals: each change comes at another moment.
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...450, using: &random)))
            let email = GeneratedMessage.id(number)
            let isOn = try !one.isStarred(email, in: account.rawValue)
            let began = ContinuousClock.now
            try one.star(email, isOn, in: account.rawValue)
            repeat {
                try other.waitForEmails()
            } while try other.isStarred(email, in: account.rawValue) != isOn
            samples.add((ContinuousClock.now - began).milliseconds)
        }
        return Waiting(samples)
    }
}
