import FoundationEssentials
import MailKernelAPI
import Testing

@testable import MicrosoftGraph

/// ACC-129: at least 500 messages a second with 50 ms for each request. A debug build on a busy machine is slower: the
/// test counts the requests, and prints the rate. `GRAPH_MESSAGES=4000` measures more of them.
@Suite("How fast mail comes from Microsoft Graph") struct GraphSpeedTests {
    @Test func fiveHundredMessagesASecond() async throws {
        let count = ProcessInfo.processInfo.environment["GRAPH_MESSAGES"].flatMap { Int($0) } ?? 600
        let server = GraphServer(.filled(count, size: 4_000), latency: .milliseconds(50))
        let person = try Person(server)
        let start = ContinuousClock.now
        var mirror = Mirror()
        try await mirror.round(person.session)
        let time = ContinuousClock.now - start
        let rate = Double(count) / (time / .seconds(1))
        print("Graph: \(count) messages of 4 kB in \(time): \(Int(rate)) a second")
        #expect(mirror.held.count == count)
        // Pages follow one another; batches run four at a time.
        let batches = server.requests.filter { $0.path.hasSuffix("$batch") }.count
        let rounds: Int = server.requests.count - batches + (batches + 3) / 4
        // Of 50 ms each: 600 messages a second, were there nothing else to do.
        #expect(rounds * 30 < count)
    }
}
