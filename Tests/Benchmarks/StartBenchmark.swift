import FoundationEssentials
import Glibc
import TestSupport

/// From the start of the process to the line that says it is ready.
enum StartBenchmark {
    private static let program = Checkout.root.appending(path: ".build/release/mailkernel")
    private static let mocks = Checkout.root.appending(path: ".build/bench-mocks")

    static func run(_ report: inout Report) async throws {
        let plugins = BenchPlugins()
        try await plugins.prepare()
        let storage = mocks.appending(path: "Storage")
        let withMocks = try await median(of: 15) { try await start([mocks]) }
        report.add(
            Figure(
                "start.mocks", "start to ready with the four mock plugins", withMocks, "ms",
                against: "100 ms", 100))
        let five = try plugins.folder(with: 5)
        let fifty = try plugins.folder(with: BenchPlugins.all)
        let (none, all) = try await medians(
            of: 15, { try await start([storage]) }, { try await start([storage, fifty]) })
        let few = try await median(of: 15) { try await start([storage, five]) }
        report.add(
            Figure(
                "start.plugins-0", "start to ready with a storage plugin alone", none, "ms",
                against: "100 ms", 100))
        report.add(
            Figure("start.plugins-5", "start to ready with 5 more plugins", few, "ms", against: "100 ms", 100)
        )
        report.add(
            Figure(
                "start.plugins-50", "what 50 more plugins add to a start", all - none, "ms",
                against: "150 ms", 150))
    }

    private static func start(_ folders: [URL]) async throws -> Double {
        let installed = try Installed(plugins: folders, program: program)
        let began = ContinuousClock.now
        let kernel = try installed.start()
        guard await kernel.line(containing: "is ready") else {
            throw BenchError(description: "The program did not start: \(await kernel.result().errors)")
        }
        let taken = (ContinuousClock.now - began).milliseconds
        kernel.signal(SIGTERM)
        _ = await kernel.result()
        return taken
    }
}
