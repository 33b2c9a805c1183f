import FoundationEssentials
import MailKernelAPI
import TestSupport

/// The same mail in a PostgreSQL store, asked over a socket and over TLS, and in SQLite.
struct StoreRun {
    static let names =
        ["postgresql.insert"] + StoreMeasure.all(size: 0).map { "postgresql.\($0.name)" }
        + ["postgresql.growth"]

    /// The first account has half of the mail.
    static let accounts = 20

    static func run(_ report: inout Report, _ selection: PostgreSQLSelection) async throws {
        var results: [(size: Int, p95: [String: Double])] = []
        for size in selection.sizes ?? [20_000] {
            let server = try await BenchServer()
            do {
                let run = try await StoreRun(size, server, selection)
                results.append((size, try await run.measure(&report)))
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
        guard let first = results.first, let last = results.last, last.size > first.size else { return }
        for (name, small) in first.p95.sorted(by: { $0.key < $1.key }) {
            guard let large = last.p95[name] else { continue }
            report.add(
                Figure(
                    "postgresql.growth.\(name)", "p95 with \(last.size) messages", large, "ms",
                    against: "that with \(first.size)", small, goal: 1.5))
        }
    }

    private let size: Int
    private let server: BenchServer
    private let selection: PostgreSQLSelection
    private let folder: TemporaryFolder
    private let sqlite: BenchStore
    /// Two plugins with the same store.
    private let ways: [(way: BenchServer.Way, store: BenchStore)]

    private init(_ size: Int, _ server: BenchServer, _ selection: PostgreSQLSelection) async throws {
        self.size = size
        self.server = server
        self.selection = selection
        folder = try TemporaryFolder()
        sqlite = try await BenchStore(in: folder.folder("sqlite"))
        var ways: [(BenchServer.Way, BenchStore)] = []
        for way in BenchServer.Way.all {
            let store = try await BenchStore(
                in: folder.folder("\(way)"), plugin: "PostgreSQLStorage",
                settings: server.settings(way, schema: "bench"))
            ways.append((way, store))
        }
        self.ways = ways
    }

    /// Returns the p95 of what has a limit of its own.
    private func measure(_ report: inout Report) async throws -> [String: Double] {
        print(
            "\(size) messages in \(Self.accounts) accounts, the largest with half of them; "
                + "PostgreSQL 15 with Debian's settings.")
        let measures = StoreMeasure.all(size: size / 2).filter {
            selection.includes("postgresql.\($0.name)") || selection.includes("postgresql.growth")
        }
        try await fill()
        for measure in measures {
            for backend in [sqlite.backend, ways[0].store.backend] { try await measure.prepare(backend) }
        }
        try await server.vacuum()
        var limited: [String: Double] = [:]
        for measure in measures {
            let theirs = try await measure.run(sqlite.backend, "sqlite")
            for (way, store) in ways {
                let ours = try await measure.run(store.backend, "\(way)")
                report.add(figure(measure, way, ours, theirs))
                if case .milliseconds = measure.goal { limited["\(measure.name)-\(way)"] = ours.p95 }
            }
        }
        if selection.includes("postgresql.insert") {
            try await InsertMeasure(size: size, sqlite: sqlite, ways: ways).run(&report)
        }
        await sqlite.backend.close()
        for (_, store) in ways { await store.backend.close() }
        return limited
    }

    private func figure(
        _ measure: StoreMeasure, _ way: BenchServer.Way, _ ours: Waiting, _ theirs: Waiting
    ) -> Figure {
        let id = "postgresql.\(measure.name)-\(way)-\(size)"
        let what = "p95 of \(measure.what), \(way.rawValue); \(ours.besides). SQLite: \(theirs.description)"
        switch measure.goal {
        case .milliseconds(let limit):
            return Figure(id, what, ours.p95, "ms", against: "\(Int(limit)) ms", limit)
        case .timesSQLite(let ratio):
            return Figure(id, what, ours.p95, "ms", against: "SQLite", theirs.p95, goal: ratio)
        }
    }

    /// Both ways lead to one store: they take turns. SQLite is filled at the same time.
    private func fill() async throws {
        for number in 0..<Self.accounts {
            let account = StoreMeasure.account(number)
            for store in [sqlite, ways[0].store] { try await store.addAccount(account) }
            let count = number == 0 ? size / 2 : size / 2 / (Self.accounts - 1)
            let generator = MailGenerator(count: count, seed: UInt64(number + 1))
            for (turn, start) in stride(from: 0, to: count, by: BenchStore.batch).enumerated() {
                let batch = (start..<min(count, start + BenchStore.batch)).map {
                    generator.message(count - 1 - $0)
                }
                let (one, other) = (sqlite, ways[turn % ways.count].store)
                async let first: Void = one.put(batch, in: account)
                try await other.put(batch, in: account)
                try await first
            }
        }
    }
}
