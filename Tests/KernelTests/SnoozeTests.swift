import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel
@testable import Mail
@testable import Store

/// ORG-50 to ORG-53.
@Suite("Snoozed mail returns in time, once") struct SnoozeTests {
    private static let ada = "ada@example.org"

    private func deliver(_ test: TestKernel, _ id: String, answering: String? = nil) async throws -> Id<Email>
    {
        let before = try await Set(test.emailIDs())
        let more = answering.map { "In-Reply-To: <\($0)@example.org>\r\n" } ?? ""
        let text =
            "From: g@example.org\r\nSubject: Hi\r\nMessage-ID: <\(id)@example.org>\r\n\(more)\r\nText\r\n"
        test.server.deliver(Data(text.utf8), to: Self.ada, receivedAt: test.clock.now)
        try await test.wait(for: id) { try await test.emailIDs().count == before.count + 1 }
        return try #require(try await Set(test.emailIDs()).subtracting(before).first)
    }

    private func snooze(_ test: TestKernel, _ ids: [Id<Email>], for seconds: Double) async throws
        -> MailAction
    {
        try await test.kernel.actions.perform(
            .snooze(until: test.clock.now + seconds), on: .emails(ids), in: test.ada, client: "page")
    }

    private func places(_ test: TestKernel, _ id: Id<Email>) async throws -> [String] {
        let all = try await test.storage.mailboxes(nil, in: test.ada).map(\.mailbox)
        let email = try await test.email(id)
        return all.filter { email.mailboxIDs.contains($0.id) }.map(\.name).sorted()
    }

    private func snoozes(_ test: TestKernel) async throws -> [Id<Email>: Snooze] {
        try await Snooze.all(in: test.ada, test.kernel.store)
    }

    /// ORG-50: in folders and with labels, here and at the service, and back unread.
    @Test(arguments: MemoryMailServer.Layout.allCases) func itLeavesAndReturns(
        _ layout: MemoryMailServer.Layout
    ) async throws {
        let test = try await TestKernel(layout: layout)
        let id = try await deliver(test, "1")
        try await test.kernel.mail.update([EmailUpdate(id, in: test.ada, addKeywords: [.seen])], in: test.ada)
        let inbox = try await places(test, id)
        let action = try await snooze(test, [id], for: 3600)
        #expect(action.changed == 1 && action.mayBeUndone)
        let place = layout == .labels ? "Snoozed mail" : "Snoozed"
        #expect(try await places(test, id) == [place])
        await test.settle()
        test.clock.advance(by: 3590)
        await test.kernel.snoozing.settle()
        #expect(try await places(test, id) == [place])
        await test.clock.waitForSleepers()
        test.clock.advance(by: 10)
        try await test.wait(for: "its return") { try await places(test, id) == inbox }
        #expect(try await !test.email(id).keywords.contains(.seen))
        #expect(try await snoozes(test).isEmpty)
        await test.settle()
        let there = test.server.messages(of: Self.ada)
        #expect(there.count == 1 && there[0].keywords.isDisjoint(with: [.seen]))
        await test.kernel.stop()
    }

    /// ORG-50: snooze, another time, and unsnooze are undone, newest first.
    @Test func eachIsUndone() async throws {
        let test = try await TestKernel()
        let id = try await deliver(test, "1")
        let (inbox, start) = (try await places(test, id), test.clock.now)
        let first = try await snooze(test, [id], for: 100)
        let again = try await snooze(test, [id], for: 900)
        #expect(again.changed == 1)
        #expect(try await snoozes(test)[id]?.until == start + 900)
        let woken = try await test.kernel.actions.perform(
            .unsnooze, on: .emails([id]), in: test.ada, client: "page")
        #expect(woken.changed == 1)
        #expect(try await places(test, id) == inbox)
        #expect(try await snoozes(test).isEmpty)
        for (action, until) in [(woken, 900.0), (again, 100.0)] {
            let undone = try await test.kernel.actions.undo(action.id, in: test.ada)
            #expect(undone.state == .undone && undone.kept == 0)
            #expect(try await places(test, id) == ["Snoozed mail"])
            #expect(try await snoozes(test)[id]?.until == start + until)
        }
        #expect(try await test.kernel.actions.undo(first.id, in: test.ada).kept == 0)
        #expect(try await places(test, id) == inbox)
        #expect(try await snoozes(test).isEmpty)
        await #expect(throws: ActionProblem.self) { try await snooze(test, [id], for: -1) }
        await test.kernel.stop()
    }

    /// ORG-51: it came due while the program was not running.
    @Test func whatCameDueMeanwhileReturnsAtTheStart() async throws {
        let disk = MemoryStorage.Disk()
        let test = try await TestKernel(on: disk)
        let id = try await deliver(test, "1")
        let inbox = try await places(test, id)
        _ = try await snooze(test, [id], for: 60)
        await test.settle()
        await test.kernel.stop()
        test.clock.advance(by: 86_400)
        let later = try await TestKernel(on: disk, clock: test.clock, server: test.server, hasAccounts: false)
        await later.kernel.snoozing.settle()
        #expect(try await places(later, id) == inbox)
        await later.kernel.stop()
    }

    /// ORG-51: the wall clock counts. Set back, it is waited for again.
    @Test func theClockMayJump() async throws {
        let test = try await TestKernel()
        let id = try await deliver(test, "1")
        let inbox = try await places(test, id)
        _ = try await snooze(test, [id], for: 3600)
        test.clock.advance(by: -86_400)
        test.clock.advance(by: 86_400 + 3599)
        await test.kernel.snoozing.settle()
        #expect(try await places(test, id) != inbox)
        test.clock.advance(by: 4)
        try await test.wait(for: "its return") { try await places(test, id) == inbox }
        await test.kernel.stop()
    }

    /// ORG-52: a newer message of the conversation wakes it, an older one and another conversation do not.
    @Test func anAnswerWakesTheConversation() async throws {
        let test = try await TestKernel()
        let (one, two) = (try await deliver(test, "1"), try await deliver(test, "2"))
        let inbox = try await places(test, one)
        _ = try await snooze(test, [one, two], for: 86_400)
        await test.settle()
        test.clock.advance(by: 60)
        _ = try await deliver(test, "3", answering: "1")
        try await test.wait(for: "its return") { try await places(test, one) == inbox }
        await test.kernel.snoozing.settle()
        #expect(try await places(test, two) == ["Snoozed mail"])
        #expect(try await Array(snoozes(test).keys) == [two])
        await test.kernel.stop()
    }

    /// ORG-52: one message of a conversation can be snoozed; the others in the inbox do not wake it.
    @Test func onlyNewerMessagesWake() async throws {
        let test = try await TestKernel()
        let one = try await deliver(test, "1")
        test.clock.advance(by: 60)
        _ = try await deliver(test, "2", answering: "1")
        _ = try await snooze(test, [one], for: 86_400)
        _ = try await deliver(test, "3")
        await test.kernel.snoozing.settle()
        #expect(try await places(test, one) == ["Snoozed mail"])
        await test.kernel.stop()
    }

    /// ORG-50: what the user moved on since stays there, whatever its time was.
    @Test func aMessageThatWasMovedOnDoesNotReturn() async throws {
        let test = try await TestKernel()
        let id = try await deliver(test, "1")
        _ = try await snooze(test, [id], for: 60)
        _ = try await test.kernel.actions.perform(.trash, on: .emails([id]), in: test.ada, client: "page")
        let trash = try await places(test, id)
        // While its move is on its way, it might still be where it was.
        await test.settle()
        test.clock.advance(by: 61)
        await test.kernel.snoozing.settle()
        #expect(try await places(test, id) == trash)
        #expect(try await snoozes(test).isEmpty)
        await test.kernel.stop()
    }

    /// ORG-53: a service that lets no mailbox be created, or refuses it: the archive keeps the mail until then.
    @Test(arguments: [false, true]) func itWorksWithoutAMailboxAtTheService(_ isRefused: Bool) async throws {
        let script = Script()
        let test = try await TestKernel(
            lacking: isRefused ? [] : .mailboxChanges, wrap: { ScriptedSession($0, script) })
        let id = try await deliver(test, "1")
        let inbox = try await places(test, id)
        // The mailbox is the first thing that the service is asked for.
        if isRefused { script.change { $0.applyOutcomes = [.refused(.refused("Reserved."))] } }
        _ = try await snooze(test, [id], for: 60)
        try await test.wait(for: "the archive") { try await places(test, id) == ["Archive"] }
        await test.settle()
        test.clock.advance(by: 61)
        await test.kernel.snoozing.settle()
        #expect(try await places(test, id) == inbox)
        await test.kernel.stop()
    }

    /// ORG-51: of two kernels, the one that looks after the account does it; the other after it is gone.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func oneOfSeveralKernelsDoesIt(_ isKilled: Bool) async throws {
        let pair = try await SharedKernels()
        let id = try await deliver(pair.one, "1")
        let inbox = try await places(pair.one, id)
        _ = try await snooze(pair.other, [id], for: 60)
        await pair.one.settle()
        if isKilled { SharedKernels.kill(pair.one) }
        let kernel = isKilled ? pair.other : pair.one
        try await pair.pass(1, for: "its return") { try await places(pair.other, id) == inbox }
        #expect(kernel.kernel.store.looksAfter(pair.ada))
        #expect(try await snoozes(pair.other).isEmpty)
        await pair.stop()
    }

    /// ORG-50: conversations and queries, and whole conversations at once.
    @Test func conversationsAndQueriesAreSnoozed() async throws {
        let test = try await TestKernel(messages: 250)
        let inbox = try await test.mailbox(.inbox)
        let action = try await test.kernel.actions.perform(
            .snooze(until: test.clock.now + 60), on: .matches(.inRole(.inbox), in: inbox), in: test.ada,
            client: "page")
        try await test.wait(for: "its end") {
            try await test.kernel.actions.action(action.id, in: test.ada)?.state == .done
        }
        let all = try await snoozes(test).count
        let changed = try await test.kernel.actions.action(action.id, in: test.ada)?.changed
        #expect(all > 0 && all == changed)
        test.clock.advance(by: 61)
        await test.kernel.snoozing.settle()
        let count = try await test.storage.mailboxes([inbox], in: test.ada).first?.counts.totalEmails
        #expect(count == all)
        await test.kernel.stop()
    }
}
