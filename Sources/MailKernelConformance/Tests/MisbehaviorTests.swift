import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@Suite("A provider misbehaves as it is told") struct MisbehaviorTests {
    private let clock = ManualClock()

    private func calls(_ rules: JSONValue) -> Misbehavior<StorageError> {
        let host = HostServices.forTesting(settings: PluginSettings(["calls": rules]), clock: clock)
        return Misbehavior(host, failure: .unwritable(reason: "told"), cancelled: .cancelled)
    }

    /// Which of ten calls failed.
    private func failures(_ rule: JSONValue) async -> [Int] {
        let calls = calls(["commit": rule])
        var failed: [Int] = []
        for number in 1...10 {
            do { _ = try await calls.call("commit") { number } } catch { failed.append(number) }
        }
        return failed
    }

    @Test func failsTheCallsThatItsRuleNames() async {
        #expect(await failures(["failFirst": 2]) == [1, 2])
        #expect(await failures(["failEvery": 4]) == [4, 8])
        #expect(await failures(["failAfter": 8]) == [9, 10])
        #expect(await failures(["failFirst": 1, "failEvery": 5]) == [1, 5, 10])
        #expect(await failures(["error": "full"]) == Array(1...10))
        #expect(await failures(["garbage": true, "failEvery": 0, "failFirst": "x"]) == [])
    }

    private static let named: [(JSONValue, StorageError)] = [
        ("full", .full), (["unreadable": ["reason": "dust"]], .unreadable(reason: "dust")),
        (["notFound": ["_0": "Email"]], .notFound("Email")), ("no such case", .unwritable(reason: "told")),
    ]

    @Test(arguments: named)
    func namesErrorsAsJSON(_ named: JSONValue, _ error: StorageError) async {
        let calls = calls(["commit": ["error": named]])
        await #expect(throws: error) { try await calls.perform("commit") {} }
    }

    @Test func fallsBackToTheRuleForAll() async throws {
        let calls = calls(["*": ["error": "full"], "open": [:]])
        await #expect(throws: StorageError.full) { try await calls.perform("close") {} }
        try await calls.perform("open") {}
    }

    @Test func waitsByTheHostsClock() async throws {
        let calls = calls(["*": ["delaySeconds": 5]])
        let call = Task { try await calls.call("commit") { 1 } }
        while clock.sleepers == 0 { await Task.yield() }
        clock.advance(by: 5)
        #expect(try await call.value == 1)
    }

    @Test func hangsUntilItIsCancelled() async throws {
        let calls = calls(["*": ["error": "hang"]])
        let call = Task { try await calls.call("commit") { 1 } }
        while clock.sleepers == 0 { await Task.yield() }
        call.cancel()
        await #expect(throws: StorageError.cancelled) { try await call.value }
    }

    @Test func canFailAfterItsWorkIsDone() async {
        let isDone = Mutex(false)
        let calls = calls(["*": ["error": "full", "afterwards": true]])
        await #expect(throws: StorageError.full) {
            try await calls.perform("commit") { isDone.withLock { $0 = true } }
        }
        #expect(isDone.withLock { $0 })
    }

    @Test func answersWhatItIsToldOrNonsense() async throws {
        let calls = calls(["one": ["answer": 7], "two": ["garbage": true], "three": ["answer": "no number"]])
        for (name, expected) in [("one", 7), ("two", -1), ("three", 1)] {
            let found = try await calls.call(name) {
                Int(1)
            } garbage: { answer in
                -answer
            }
            #expect(found == expected)
        }
    }

    @Test func throwsInsteadOfMakingItsProvider() {
        let host = HostServices.forTesting(settings: PluginSettings(["factory": "throw"]))
        #expect(throws: ToldToThrow.self) { try misbehaveInFactory(host) }
    }
}
