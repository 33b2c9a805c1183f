import FoundationEssentials
import Glibc
import TestSupport

/// A way to a server on this machine with a latency, on which round trips are counted.
final class CountingRelay {
    let port: Int
    private let process: Command
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "turns") }

    init(to port: Int, milliseconds: Int) async throws {
        folder = try TemporaryFolder()
        let script = Checkout.root.appending(path: "Tests/Servers/turns.py").path
        process = try Command(
            TestServers.python,
            ["-B", script, "\(port)", "\(milliseconds)", folder.url.appending(path: "turns").path])
        guard await process.line(containing: "}\n") else {
            throw BenchError(description: await process.result().errors)
        }
        let place = try JSONDecoder().decode([String: Int].self, from: Data(process.outputSoFar.utf8))
        self.port = place["port"] ?? 0
    }

    /// Round trips so far, as of a moment ago.
    func turns() async throws -> Double {
        try await Task.sleep(for: .milliseconds(300))
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let turns = Double(text) else { throw BenchError(description: "No round trips: \(text)") }
        return turns
    }

    func stop() async {
        process.signal(SIGTERM)
        _ = await process.result()
    }
}
