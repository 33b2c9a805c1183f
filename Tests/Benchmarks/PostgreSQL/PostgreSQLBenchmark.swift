import FoundationEssentials
import MailKernelAPI
import TestSupport

/// The same mail in a PostgreSQL store, over a socket and over TLS, and in SQLite.
enum PostgreSQLBenchmark {
    static let parts = ["postgresql."]

    static func run(_ report: inout Report, sizes: [Int]) async throws {
        guard BenchServer.isInstalled else {
            return report.leaveOut("postgresql.", "postgresql-15 is not installed")
        }
        let library = Checkout.root.appending(path: "Plugins/PostgreSQLStorage/libPostgreSQLStorage.so")
        guard FileManager.default.fileExists(atPath: library.path) else {
            return report.leaveOut("postgresql.", "its plugin is not built: see the log of “make plugins”")
        }
        for size in sizes {
            let server = try await BenchServer()
            do {
                var run = try await PostgreSQLRun(size, server)
                try await run.measure(&report)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
        try await firstSync(&report)
        report.leaveOut(
            "postgresql.network",
            "a server on another machine: each question takes its round trips longer, about four for a page")
    }

    /// The whole program with an account on a mail server, until there is nothing more to read.
    private static func firstSync(_ report: inout Report) async throws {
        let size = 10_000
        guard BenchMailService.isInstalled else {
            return report.leaveOut("postgresql.sync", "dovecot-imapd is not installed")
        }
        let service = try await BenchMailService(messages: size)
        let server = try await BenchServer()
        do {
            let theirs = try await firstSync(from: service, nil, size)
            for way in [BenchServer.Way.socket, .tls] {
                let ours = try await firstSync(
                    from: service, server.settings(way, schema: "sync_\(way)"), size)
                for (name, what, one, other) in [
                    ("first", "until the first 50 messages can be read", ours.first, theirs.first),
                    ("full", "until everything can be searched", ours.all, theirs.all),
                ] {
                    report.add(
                        Figure(
                            "postgresql.sync.\(name)-\(way)", "\(what), of \(size) over IMAP", one, "s",
                            against: "SQLite", other, goal: 2))
                }
            }
        } catch {
            report.fail("postgresql.sync", "\(error)")
        }
        await server.stop()
        await service.stop()
    }

    private static func firstSync(
        from service: BenchMailService, _ settings: PluginSettings?, _ size: Int
    ) async throws -> (first: Double, all: Double) {
        let program = try await BenchProgram(service, postgreSQL: settings)
        try await program.signIn(service)
        let times = try await program.firstSync(of: size)
        await program.end()
        return times
    }
}

/// One size.
struct PostgreSQLRun {
    /// The large account has half of the mail.
    private static let accounts = 4

    private let size: Int
    private let server: BenchServer
    private let folder: TemporaryFolder
    /// SQLite, which the others are set beside, is the first.
    private var contenders: [Contender] = []

    init(_ size: Int, _ server: BenchServer) async throws {
        self.size = size
        self.server = server
        folder = try TemporaryFolder()
        contenders.append(
            Contender("SQLite", "", try await BenchStore(in: folder.folder("sqlite"))))
        for way in [BenchServer.Way.socket, .tls] {
            let store = try await BenchStore(
                in: folder.folder("\(way)"), plugin: "PostgreSQLStorage",
                settings: server.settings(way, schema: "bench_\(way)"))
            contenders.append(Contender(way.rawValue, "\(way)", store))
        }
    }

    mutating func measure(_ report: inout Report) async throws {
        print(
            "\(size) messages in \(Self.accounts) accounts, the largest with half of them; "
                + "PostgreSQL 15 with Debian's settings.")
        try await fill(&report)
        try await server.vacuum()
        for measure in StoreMeasure.all(size: size / 2) {
            var times: [Double] = []
            for contender in contenders {
                times.append(try await measure.run(contender.store.backend))
            }
            for (contender, time) in zip(contenders, times).dropFirst() {
                report.add(figure(measure.name, measure.what, time, contender, times[0], goal: 4))
            }
        }
        for contender in contenders { await contender.store.backend.close() }
    }

    private func figure(
        _ name: String, _ what: String, _ value: Double, _ contender: Contender, _ other: Double, goal: Double
    ) -> Figure {
        Figure(
            "postgresql.\(name)-\(contender.id)-\(size)", "\(what), \(contender.name)", value, "ms",
            against: contenders[0].name, other, goal: goal)
    }

    /// Each batch goes into all stores, so that they meet the same weather.
    private mutating func fill(_ report: inout Report) async throws {
        for number in 0..<Self.accounts {
            let account = StoreMeasure.account(number)
            for contender in contenders { try await contender.store.addAccount(account) }
            let count = number == 0 ? size / 2 : size / 2 / (Self.accounts - 1)
            let generator = MailGenerator(count: count, seed: UInt64(number + 1))
            for start in stride(from: 0, to: count, by: BenchStore.batch) {
                let batch = (start..<min(count, start + BenchStore.batch)).map {
                    generator.message(count - 1 - $0)
                }
                for index in contenders.indices {
                    let store = contenders[index].store
                    contenders[index].commits.add(
                        try await milliseconds { try await store.put(batch, in: account) })
                }
            }
        }
        for contender in contenders.dropFirst() {
            let (ours, theirs) = (contender.commits, contenders[0].commits)
            report.add(
                figure(
                    "insert", "a message stored and indexed, in batches of \(BenchStore.batch)",
                    ours.sum / Double(size), contender, theirs.sum / Double(size), goal: 2))
            report.add(
                figure(
                    "insert.slowest", "the slowest of these commits", ours.worst, contender, theirs.worst,
                    goal: 2))
        }
    }
}

private struct Contender {
    let name: String
    /// A part of the ids of its figures.
    let id: String
    let store: BenchStore
    var commits = Samples()

    init(_ name: String, _ id: String, _ store: BenchStore) {
        self.name = name
        self.id = id
        self.store = store
    }
}
