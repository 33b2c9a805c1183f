import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import PluginHost

/// A call into a loaded plugin beside the same call into a provider that is linked in.
enum CallBenchmark {
    private static let calls = 1_000_000

    static func run(_ report: inout Report) async throws {
        let plugins = BenchPlugins()
        try await plugins.prepare()
        let plugin = try OpenedPlugin(at: plugins.plugin(0))
        guard case .notification(let loaded) = try plugin.makeProvider(host: .forTesting()) else {
            throw BenchError(description: "The plugin is of another kind.")
        }
        let linked: any NotificationSink = BenchSink()
        let note = MailNotification(id: Id("1"), title: "Ana", body: "Lunch?")
        let (through, direct) = try await medians(
            of: 9, { try await time(loaded, note) }, { try await time(linked, note) })
        report.add(
            Figure(
                "plugins.call", "a call into a loaded plugin", through, "ns",
                against: "the same call, linked", direct,
                goal: 1.2))
    }

    /// Nanoseconds per call.
    private static func time(_ sink: any NotificationSink, _ note: MailNotification) async throws -> Double {
        let began = ContinuousClock.now
        for _ in 0..<calls { try await sink.post(note) }
        return (ContinuousClock.now - began).milliseconds * 1_000_000 / Double(calls)
    }
}
