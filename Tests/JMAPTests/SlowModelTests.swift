import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import PluginHost
import Store
import Testing

@testable import Intelligence

@Suite("A model that takes its time") struct SlowModelTests {
    /// Two hours for a text, of which some comes every 20 minutes: silent for that long, it would be given up.
    @Test(.timeLimit(.minutes(5))) func isNotGivenUpWhileItsTextArrives() async throws {
        let clock = ManualClock()
        let models = ScriptedModels(MemoryModelProvider(isDownloaded: true, clock: clock))
        models.script.withLock { script in
            script.says = "They launch on 2 December."
            script.pieces = { partial in
                for _ in 0..<6 {
                    // The watch over silent calls sleeps, and looks at each step.
                    await clock.waitForSleepers()
                    clock.advance(by: 1200)
                    await clock.waitForSleepers()
                    partial("They ")
                }
            }
        }
        let record = PluginRecord(
            folder: URL(filePath: "/"), id: "org.example.slow", manifest: nil, state: .loaded(.model(models)))
        let contained = ContainedModels(
            models,
            PluginCaller(record, calls: ProviderCalls(clock: clock), log: LogOutput(least: .error)))
        let request = GenerationRequest(
            model: MemoryModelProvider.writer, instruction: "Sum up.", data: "…", maximumTokens: 100)
        #expect(try await contained.generate(request, partial: { _ in }).text == "They launch on 2 December.")
    }
}
