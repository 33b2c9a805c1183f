import FoundationEssentials
import MailKernelAPI

/// Messages stored and indexed one batch after the other, without a pause, in a store that has others.
struct InsertMeasure {
    private static let count = 5_000
    private static let goal = 1_000.0
    private static let slowest = 200.0

    let size: Int
    let sqlite: BenchStore
    let ways: [(way: BenchServer.Way, store: BenchStore)]

    func run(_ report: inout Report) async throws {
        let theirs = try await commits(to: sqlite, Id("inserts"))
        for (way, store) in ways {
            let ours = try await commits(to: store, Id("inserts-\(way)"))
            let rate = { (commits: Samples) in "\(Int(Double(Self.count) / commits.sum * 1_000)) messages/s" }
            report.add(
                Figure(
                    "postgresql.insert-\(way)-\(size)",
                    "a message stored and indexed, in batches of \(BenchStore.batch): \(rate(ours)) with fsync, "
                        + "\(way.rawValue). SQLite: \(rate(theirs))",
                    ours.sum / Double(Self.count), "ms", against: "1 ms (\(Int(Self.goal)) messages/s)",
                    1_000 / Self.goal))
            report.add(
                Figure(
                    "postgresql.insert.slowest-\(way)-\(size)",
                    "the slowest of these commits, \(way.rawValue); \(Waiting(ours).description). "
                        + "SQLite: \(rounded(theirs.worst)) ms",
                    ours.worst, "ms", against: "\(Int(Self.slowest)) ms", Self.slowest))
        }
    }

    /// The mail is made before the clock starts.
    private func commits(to store: BenchStore, _ account: Id<Account>) async throws -> Samples {
        try await store.addAccount(account)
        let generator = MailGenerator(count: Self.count, seed: 99)
        let batches = stride(from: 0, to: Self.count, by: BenchStore.batch).map { start in
            ChangeSet(
                (start..<start + BenchStore.batch).map { number in
                    let message = generator.message(number)
                    return .putEmail(message.email(in: account), message.body)
                })
        }
        var commits = Samples()
        for batch in batches {
            commits.add(try await milliseconds { _ = try await store.backend.commit(batch) })
        }
        return commits
    }
}
