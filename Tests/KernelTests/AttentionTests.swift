import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-03: services tell of the inbox; of other mailboxes most tell only when they are asked.
@Suite("FR-SYNC-03: open mail is shown as it is on the service") struct AttentionTests {
    private static let ada = "ada@example.org"

    private func message(_ number: Int) -> Data {
        Data("Subject: \(number)\r\nMessage-ID: <n\(number)@example.org>\r\n\r\nText.\r\n".utf8)
    }

    /// A service that keeps quiet about Trash.
    private func quiet() async throws -> (TestKernel, Script) {
        let script = Script()
        script.change { $0.quietFeeds = [FeedID("trash")] }
        let test = try await TestKernel(layout: .folders, wrap: { ScriptedSession($0, script) })
        try await rest(test)
        return (test, script)
    }

    private func rest(_ test: TestKernel) async throws {
        try await test.wait(for: "listening") {
            await test.settle()
            return test.kernel.accounts.status.all.statuses.values.allSatisfy { $0.phase == .listening }
                && test.server.watchers(of: Self.ada) == 1
        }
        await test.settle()
    }

    @Test func aWindowThatComesIntoSightShowsWhatIsNew() async throws {
        let (test, _) = try await quiet()
        test.server.deliver(message(1), to: Self.ada, mailbox: Id("trash"))
        test.clock.advance(by: 60)
        await test.settle()
        #expect(try await test.emailIDs().isEmpty)
        await test.kernel.presence.opened("w")
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        // From now on it is asked now and then.
        for count in 2...3 {
            try await rest(test)
            test.server.deliver(message(count), to: Self.ada, mailbox: Id("trash"))
            test.clock.advance(by: 120)
            try await test.wait(for: "message \(count)") { try await test.emailIDs().count == count }
        }
    }

    /// A service is not asked while no mail is open.
    @Test func whileNobodyLooksItIsLeftAlone() async throws {
        let (test, script) = try await quiet()
        await test.kernel.presence.opened("w")
        await test.kernel.presence.closed("w")
        try await rest(test)
        let rounds = script.now.rounds
        for _ in 1...10 {
            test.clock.advance(by: 120)
            try await rest(test)
        }
        #expect(script.now.rounds - rounds <= 2)
    }

    @Test func aMailboxThatIsOpenedShowsWhatIsNew() async throws {
        let (test, script) = try await quiet()
        let trash = try await test.mailbox(.trash)
        test.server.deliver(message(1), to: Self.ada, mailbox: Id("trash"))
        test.clock.advance(by: 60)
        try await rest(test)
        let rounds = script.now.rounds
        for _ in 1...5 {
            _ = try await test.calls([
                (
                    "Email/query",
                    [
                        "accountId": .string(test.ada.rawValue),
                        "filter": ["inMailbox": .string(trash.rawValue)],
                    ]
                )
            ])
        }
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        try await rest(test)
        // Asked in quick succession, it is asked once.
        #expect(script.now.rounds - rounds <= 2)
    }
}
