import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// ORG-54, ORG-58, ORG-72: random kills, clocks that are set forward and back, and nights asleep. After each step,
/// exactly what is due by the clock has returned or been sent, and once.
///
/// All these times are moments: zones matter only where the user chooses one, which is in the page (`zoneTrials.test.ts`).
@Suite("ORG-54: nothing snoozed, scheduled or waited for is lost, early or there twice")
struct TimeTrialTests {
    private static let trials =
        ProcessInfo.processInfo.environment["TIME_TRIALS"].flatMap { Int($0) } ?? 160
    private static let perScene = 20

    @Test(.timeLimit(.minutes(600)), arguments: MemoryMailServer.Layout.allCases)
    func randomTrials(_ layout: MemoryMailServer.Layout) async throws {
        let seed =
            ProcessInfo.processInfo.environment["TIME_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64.max)
        let scenes = max(1, Self.trials / MemoryMailServer.Layout.allCases.count / Self.perScene)
        for round in 0..<UInt64(scenes) {
            let model = try await TimeModel(layout, seed: seed &+ round)
            for _ in 0..<Self.perScene { try await model.trial() }
            try await model.end()
        }
    }
}
