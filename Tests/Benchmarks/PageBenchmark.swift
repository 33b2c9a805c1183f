import FoundationEssentials
import Glibc
import TestSupport

/// The page in Chromium, with a large mailbox: see `Tests/Page/measure.py`.
enum PageBenchmark {
    private struct Measured: Decodable {
        var id: String
        var what: String
        var value: Double
        var unit: String
        var limit: Double
    }

    private static let most = 50_000

    static func run(_ report: inout Report, sizes: [Int]) async throws {
        let python = Checkout.root.appending(path: ".build/python/bin/python")
        let needed = [python.path, "/usr/bin/chromium"]
        guard needed.allSatisfy({ access($0, X_OK) == 0 }) else {
            return report.leaveOut("page.", "It needs Chromium and the Python of the tests (`make test`).")
        }
        let place = try TemporaryFolder()
        let installed = try await mailbox(of: min(most, sizes.max() ?? most), in: place)
        let output = place.url.appending(path: "figures.json")
        let result = try await Command.run(
            python,
            [
                "-B", Checkout.root.appending(path: "Tests/Page/measure.py").path, installed.data.path,
                installed.configuration.path, "--json", output.path,
            ])
        guard result.status == 0 else { throw BenchError(description: result.errors) }
        for one in try JSONDecoder().decode([Measured].self, from: Data(contentsOf: output)) {
            let limit = "\(Int(one.limit.rounded())) \(one.unit)"
            report.add(
                Figure("page.\(one.id)", one.what, one.value, one.unit, against: limit, one.limit))
        }
    }

    private static func mailbox(of count: Int, in place: TemporaryFolder) async throws -> Installed {
        let maildir = Maildir(folder: place.url.appending(path: "mail"), hasWholeFiles: true)
        _ = try maildir.fill(MailGenerator(count: count))
        let mbox = place.url.appending(path: "mail.mbox")
        try maildir.writeMbox(to: mbox)
        let installed = try Installed(
            plugins: [Checkout.root.appending(path: "Plugins")],
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        let result = try await installed.run("import", mbox.path)
        guard result.status == 0 else { throw BenchError(description: result.errors) }
        return installed
    }
}
