import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("A clock that is moved by hand") struct ManualClockTests {
    @Test func wakesASleeperWhenItsTimeHasCome() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: 30) }
        await clock.waitForSleepers()
        clock.advance(by: 29)
        #expect(clock.sleepers == 1)
        clock.advance(by: 1)
        try await sleeper.value
    }

    @Test func aCancelledSleepEndsAtOnce() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: 30) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
