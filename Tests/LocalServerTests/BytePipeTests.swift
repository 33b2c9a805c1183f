import Foundation
import Testing

@testable import LocalServer

/// ACC-65: what waits for a slow client can be canceled without losing the client.
@Suite("BytePipe: several tasks write to one pipe") struct BytePipeTests {
    private func taken(from pipe: BytePipe) -> (bytes: Data, end: BytePipe.Taken) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let found = buffer.withUnsafeMutableBytes { pipe.take(into: $0) }
            guard case .count(let count) = found else { return (bytes, found) }
            bytes += buffer[..<count]
        }
    }

    /// A task that waits for room, or soon will.
    private func writer(to pipe: BytePipe, _ text: String) -> Task<Void, any Error> {
        Task { try await pipe.write(Data(text.utf8)) }
    }

    @Test(arguments: [0, 20]) func aCanceledWriterLeavesThePipeToOthers(_ milliseconds: Int) async throws {
        let pipe = BytePipe(capacity: 4) {}
        try await pipe.write(Data("full".utf8))
        let canceled = writer(to: pipe, "never")
        let patient = writer(to: pipe, "next")
        try await Task.sleep(for: .milliseconds(milliseconds))
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        let first = taken(from: pipe)
        try await patient.value
        let text = first.bytes + taken(from: pipe).bytes
        #expect(text == Data("fullnext".utf8))
        guard case .nothingYet = taken(from: pipe).end else {
            Issue.record("The pipe has ended.")
            return
        }
    }

    @Test func thePipeStaysFinishedWhenItsWritersAreCanceled() async throws {
        let pipe = BytePipe(capacity: 4) {}
        try await pipe.write(Data("full".utf8))
        let waiting = writer(to: pipe, "never")
        try await Task.sleep(for: .milliseconds(20))
        Data(" stop".utf8).withUnsafeBytes { pipe.offer($0) }
        pipe.finish()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let all = taken(from: pipe)
        #expect(all.bytes == Data("full stop".utf8))
        guard case .end = all.end else {
            Issue.record("The pipe is broken.")
            return
        }
    }

    @Test func aCanceledReaderBreaksThePipe() async throws {
        let pipe = BytePipe {}
        let reader = Task { try await pipe.next() }
        try await Task.sleep(for: .milliseconds(20))
        reader.cancel()
        await #expect(throws: BodyError.interrupted) { try await reader.value }
        await #expect(throws: CancellationError.self) { try await pipe.write(Data("late".utf8)) }
    }
}
