import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Kernel

/// A store that cannot be read for a moment is not taken for an empty one.
@Suite("A call of the store that fails moves and loses nothing", .timeLimit(.minutes(10)))
struct FailingStoreTests {
    private static let ada = "ada@example.org"

    /// Throws at the call of a certain number, once.
    private final class Failure: Sendable {
        private let left: Mutex<Int>

        init(atCall number: Int) { left = Mutex(number) }

        var hasHappened: Bool { left.withLock { $0 <= 0 } }

        func call() throws(StorageError) {
            let isNow = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isNow { throw .unreadable(reason: "A test has it so.") }
        }
    }

    private func message(_ number: Int) -> Data {
        Data("Subject: \(number)\r\nMessage-ID: <m\(number)@example.org>\r\n\r\nText\r\n".utf8)
    }

    /// Every call of a round fails once, in an account that was read before, while something waits to be told.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aRoundThatMeetsItGoesOn(_ layout: MemoryMailServer.Layout) async throws {
        let count = try await Sweep.calls(every: 29) { try await round(failingAt: $0, layout) }
        #expect(count > 50, "only \(count) calls")
    }

    private func round(failingAt number: Int, _ layout: MemoryMailServer.Layout) async throws -> Bool {
        let failure = Watched<Failure?>(nil)
        let clock = ManualClock()
        let server = MemoryMailServer(
            logins: [MemoryAccountPlugin.logins[0]], layout: layout, clock: clock)
        for number in 0..<3 { server.deliver(message(number), to: Self.ada) }
        let test = try await TestKernel(
            clock: clock, server: server,
            wrapStorage: { storage in
                InterceptedStorage(storage) { (_) async throws(StorageError) in
                    try failure.value?.call()
                }
            })
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 3 }
        await test.settle()
        let mailboxes = server.mailboxes(of: Self.ada)
        let ids = Set(try await test.emailIDs())
        let (first, trash) = (try #require(ids.first), try await test.mailbox(.trash))
        let inbox = try await test.mailbox(.inbox)
        server.setOutage(.offline)
        let update = EmailUpdate(
            first, in: test.ada, addKeywords: [.flagged], addMailboxes: [trash], removeMailboxes: [inbox])
        try await test.kernel.mail.update([update], in: test.ada)
        await test.settle()
        server.setOutage(nil)
        let now = Failure(atCall: number)
        failure.withLock { $0 = now }
        for _ in 0..<3 {
            clock.advance(by: 61)
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
        }
        failure.withLock { $0 = nil }
        clock.advance(by: 121)
        await test.kernel.accounts.refresh(test.ada)
        await test.settle()
        let call = "call \(number)"
        #expect(server.mailboxes(of: Self.ada) == mailboxes, "\(call)")
        #expect(server.messages(of: Self.ada).count == 3, "\(call)")
        let places = server.messages(of: Self.ada).filter { $0.mailboxIDs == [Id("trash")] }
        #expect(places.map { $0.keywords.contains(.flagged) } == [true], "\(call)")
        let after = Set(try await test.emailIDs())
        #expect(after == ids, "\(call)")
        let moved = try await test.email(first)
        #expect(moved.mailboxIDs == [trash], "\(call)")
        await test.kernel.stop()
        return now.hasHappened
    }
}
