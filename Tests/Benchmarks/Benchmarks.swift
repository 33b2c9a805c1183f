import FoundationEssentials
import Glibc

/// `mailkernel-bench [--only NAME] [--output FILE]`: measures, prints a table and writes it as JSON.
@main enum Benchmarks {
    private typealias Run = @Sendable (inout Report) async throws -> Void

    /// By the beginning of the ids that they measure.
    private static let all: [(name: String, run: Run)] = [
        ("start.", { try await StartBenchmark.run(&$0) }),
        ("format.", { try await FormatBenchmark.run(&$0) }),
        ("plugins.", { try await CallBenchmark.run(&$0) }),
    ]

    static func main() async throws {
        let words = CommandLine.arguments
        func value(_ option: String) -> String? {
            words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        let chosen = all.filter { name, _ in
            value("--only").map { name.hasPrefix($0) || $0.hasPrefix(name) } ?? true
        }
        guard !chosen.isEmpty else {
            print("There is no such benchmark; there are: \(all.map(\.name).joined(separator: ", ")).")
            exit(64)
        }
        var report = Report()
        for (_, run) in chosen { try await run(&report) }
        if let output = value("--output") { try report.write(to: output) }
    }
}
