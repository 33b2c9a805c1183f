import FoundationEssentials
import MailKernelAPI
import TestSupport

/// The PostgreSQL store: the plugin by itself, programs that share a server, failures, and large blobs in S3.
enum PostgreSQLBenchmark {
    static let parts = ["postgresql."]

    /// Figures that are measured together.
    private struct Family {
        /// The beginnings of their ids.
        let names: [String]
        let run: @Sendable (inout Report, PostgreSQLSelection) async throws -> Void
    }

    private static let families = [
        Family(names: StoreRun.names) { try await StoreRun.run(&$0, $1) },
        Family(names: ["postgresql.sync"]) { try await FirstSyncMeasure.run(&$0, $1) },
        Family(names: ["postgresql.kernels"]) { try await KernelsMeasure.run(&$0, $1) },
        Family(names: ["postgresql.visible"]) { report, _ in try await VisibleMeasure.run(&report) },
        Family(names: ["postgresql.takeover"]) { report, _ in try await TakeoverMeasure.run(&report) },
        Family(names: ["postgresql.failover"]) { report, _ in try await FailoverMeasure.run(&report) },
        Family(names: ["postgresql.s3"]) { report, _ in try await ObjectMeasure.run(&report) },
    ]

    static func run(_ report: inout Report, only: String?, sizes: [Int]?) async throws {
        guard BenchServer.isInstalled else {
            return report.leaveOut("postgresql.", "postgresql-15 is not installed")
        }
        let library = Checkout.root.appending(path: "Plugins/PostgreSQLStorage/libPostgreSQLStorage.so")
        guard FileManager.default.fileExists(atPath: library.path) else {
            return report.leaveOut("postgresql.", "its plugin is not built: see the log of “make plugins”")
        }
        let selection = PostgreSQLSelection(only: only, sizes: sizes)
        let chosen = families.filter { $0.names.contains(where: selection.includes) }
        guard !chosen.isEmpty else {
            let names = families.flatMap(\.names).joined(separator: ", ")
            throw BenchError(description: "There is no such figure; they begin with \(names).")
        }
        for family in chosen {
            do {
                try await family.run(&report, selection)
            } catch {
                report.fail(family.names[0], "\(error)")
            }
        }
        guard only == nil || only == "postgresql." else { return }
        report.leaveOut(
            "postgresql.network",
            "a server on another machine: each question takes its round trips longer, about four for a page")
    }
}

/// What to measure, and with how much mail.
struct PostgreSQLSelection: Sendable {
    /// The beginning of an id; nil for all.
    let only: String?
    /// Messages in a store; nil for the usual numbers.
    let sizes: [Int]?

    func includes(_ name: String) -> Bool {
        only.map { name.hasPrefix($0) || $0.hasPrefix(name) } ?? true
    }
}
