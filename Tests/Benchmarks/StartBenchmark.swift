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
        let withMocks = try await median(of: 15) { try await start([mocks], 4) }
        report.add(
            Figure(
                "start.mocks", "start to ready with the four mock plugins", withMocks, "ms",
                against: "100 ms", 100))
        let five = try plugins.folder(with: 5)
        let fifty = try plugins.folder(with: BenchPlugins.all)
        let (none, all) = try await medians(
            of: 15, { try await start([storage], 1) }, { try await start([storage, fifty], 51) })
        let few = try await median(of: 15) { try await start([storage, five], 6) }
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

    /// A start in which a plugin was refused would be a fast one, so they are counted.
    private static func start(_ folders: [URL], _ plugins: Int) async throws -> Double {
        let installed = try Installed(plugins: folders, program: program)
        let began = ContinuousClock.now
        let kernel = try installed.start()
        let isReady = await kernel.line(containing: "is ready")
        let taken = (ContinuousClock.now - began).milliseconds
        kernel.signal(SIGTERM)
        let result = await kernel.result()
        let expected = plugins == 1 ? "with 1 plugin." : "with \(plugins) plugins."
        guard isReady, result.output.contains(expected) else {
            throw BenchError(description: "Not all plugins were loaded: \(result.errors)")
        }
        return taken
    }
}
