import FoundationEssentials
import Glibc

/// `mailkernel-bench [--only NAME] [--sizes N,N] [--output FILE]`: measures, prints a table and writes it
/// as JSON. `mailkernel-bench --maildir FOLDER [--sizes N]` writes the mail that it measures with.
@main enum Benchmarks {
    private struct Options {
        /// The beginning of an id; nil for all.
        var only: String?
        var sizes: [Int]
        /// Nil without `--sizes`.
        var givenSizes: [Int]?
    }

    private typealias Run = @Sendable (inout Report, Options) async throws -> Void

    /// By the beginnings of the ids that they measure.
    private static let all: [(names: [String], run: Run)] = [
        (["start."], { report, _ in try await StartBenchmark.run(&report) }),
        (["format."], { report, _ in try await FormatBenchmark.run(&report) }),
        (["import."], { report, _ in try await ImportBenchmark.run(&report) }),
        (
            IntelligenceBenchmark.parts, { try await IntelligenceBenchmark.run(&$0, only: $1.only) }
        ),
        (["jmap."], { try await ServerBenchmark.run(&$0, only: $1.only, sizes: $1.sizes) }),
        (
            ActionBenchmark.parts,
            { try await ActionBenchmark.run(&$0, only: $1.only, sizes: $1.sizes) }
        ),
        (
            JMAPAccountBenchmark.parts,
            { try await JMAPAccountBenchmark.run(&$0, sizes: $1.givenSizes) }
        ),
        (["sync."], { try await SyncBenchmark.run(&$0, sizes: $1.sizes) }),
        (["rules."], { report, _ in try await RuleBenchmark.run(&report) }),
        (["compose."], { report, _ in try await ComposeBenchmark.run(&report) }),
        (["page."], { try await PageBenchmark.run(&$0, sizes: $1.sizes) }),
        (["settings."], { try await SettingsBenchmark.run(&$0, sizes: $1.sizes) }),
        (ModelBenchmark.parts, { try await ModelBenchmark.run(&$0, only: $1.only) }),
        (["plugins."], { report, _ in try await CallBenchmark.run(&report) }),
        (
            MailboxBenchmark.parts,
            { try await MailboxBenchmark.run(&$0, only: $1.only, sizes: $1.sizes) }
        ),
        (
            PostgreSQLBenchmark.parts,
            { try await PostgreSQLBenchmark.run(&$0, only: $1.only, sizes: $1.givenSizes) }
        ),
    ]

    static func main() async throws {
        let words = CommandLine.arguments
        func value(_ option: String) -> String? {
            words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        let sizes = value("--sizes")?.split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
        if let folder = value("--maildir") {
            let generator = MailGenerator(count: sizes?.first ?? 10_000)
            let bytes = try Maildir(folder: URL(filePath: folder)).fill(generator)
            return print("Wrote \(generator.count) messages, \(bytes) bytes, to \(folder).")
        }
        let options = Options(only: value("--only"), sizes: sizes ?? [10_000, 50_000], givenSizes: sizes)
        let chosen = all.filter { names, _ in
            guard let only = options.only else { return true }
            return names.contains { $0.hasPrefix(only) || only.hasPrefix($0) }
        }
        guard !chosen.isEmpty else {
            let names = all.flatMap(\.names).joined(separator: ", ")
            print("There is no such benchmark; there are: \(names).")
            exit(64)
        }
        var report = Report()
        let began = ContinuousClock.now
        for (names, run) in chosen {
            let start = ContinuousClock.now
            do {
                try await run(&report, options)
            } catch {
                report.fail(names[0], "\(error)")
            }
            print("    \(names.joined(separator: " ")) took \(minutes(since: start))")
        }
        if let output = value("--output") { try report.write(to: output) }
        print("\(report.summary), in \(minutes(since: began)).")
        exit(report.isWhole ? 0 : 1)
    }

    private static func minutes(since start: ContinuousClock.Instant) -> String {
        let tenths = ((ContinuousClock.now - start).milliseconds / 6_000).rounded()
        return "\(tenths / 10) minutes"
    }
}
