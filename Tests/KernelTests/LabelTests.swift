import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail
@testable import Store

/// FR-SYNC-05: Gmail keeps a message that has lost its last label among all mail; other services may not.
@Suite("FR-SYNC-05: a message whose last label is deleted is kept until the service says that it is gone")
struct LabelTests {
    @Test(arguments: [true, false]) func itIsArchived(_ isKept: Bool) async throws {
        let script = Script()
        let test = try await TestKernel(messages: 2, wrap: { ScriptedSession($0, script) })
        let label = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: "Receipts"))
        let inbox = try await test.mailbox(.inbox)
        let ids = try await test.emailIDs()
        try await test.kernel.mail.update(
            [
                EmailUpdate(ids[0], in: test.ada, addMailboxes: [label.id], removeMailboxes: [inbox]),
                EmailUpdate(ids[1], in: test.ada, addMailboxes: [label.id]),
            ], in: test.ada)
        await test.settle()
        if isKept { script.change { $0.applyOutcomes = [.done(newIDs: [:], mailbox: nil)] } }
        test.server.setOutage(.offline)
        try await test.kernel.mail.destroyMailbox(label.id, in: test.ada, evenWithEmails: true)
        #expect(try await test.email(ids[0]).mailboxIDs == [test.mailbox(.archive)])
        #expect(try await test.email(ids[1]).mailboxIDs == [inbox])

        test.server.setOutage(nil)
        try await test.wait(for: "the service to be told") {
            test.clock.advance(by: 120)
            await test.settle()
            let queue = PendingChanges(store: test.kernel.store, accountID: test.ada)
            let (waiting, left) = (try await queue.all().count, try await test.emailIDs().count)
            return waiting == 0 && left == (isKept ? 2 : 1)
        }
        await test.kernel.stop()
    }

    /// FR-SYNC-05: the clock was set back after the label was created, or another computer's is ahead.
    @Test func aLabelOfALaterClockIsCreatedBeforeItIsUsed() async throws {
        let test = try await TestKernel(messages: 1)
        let inbox = try await test.mailbox(.inbox)
        let id = try #require(try await test.emailIDs().first)
        test.server.setOutage(.offline)
        let ids = IDMaker(clock: ManualClock(now: test.clock.now + 3_600))
        var labels: [Mailbox] = []
        for name in ["Money", "Bills"] {
            let label = Mailbox(
                id: ids.next("X"), accountID: test.ada, name: name, parentID: labels.last?.id)
            labels.append(label)
        }
        let queue = PendingChanges(store: test.kernel.store, accountID: test.ada)
        // The inner one is noted first, by a clock that was set back in between.
        for label in labels { try await test.kernel.store.commit([.putMailbox(label)]) }
        for label in labels.reversed() {
            let name: Id<PendingChange> = ids.next("P")
            try await test.kernel.store.commit([
                queue.put(PendingChange(.createMailbox(label.id)), name: name.rawValue)
            ])
        }
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [labels[1].id], removeMailboxes: [inbox])],
            in: test.ada)
        test.server.setOutage(nil)
        try await test.wait(for: "the service to be told") {
            test.clock.advance(by: 120)
            await test.settle()
            return try await queue.all().isEmpty
        }
        let there = test.server.mailboxes(of: "ada@example.org")
        let bills = try #require(there.first { $0.name == "Bills" })
        #expect(there.first { $0.id == bills.parentID }?.name == "Money")
        #expect(test.server.messages(of: "ada@example.org").map(\.mailboxIDs) == [[bills.id]])
        #expect(try await test.email(id).mailboxIDs == [labels[1].id])
        await test.kernel.stop()
    }

    /// FR-SYNC-10: in Gmail's Trash a message has another name, by which it comes back and gets its labels again.
    @Test func whatIsMovedOutOfSeveralIsMovedFirst() async throws {
        let script = Script()
        let test = try await TestKernel(messages: 1, wrap: { ScriptedSession($0, script) })
        let label = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: "Receipts"))
        let (inbox, trash) = (try await test.mailbox(.inbox), try await test.mailbox(.trash))
        let id = try #require(try await test.emailIDs().first)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [label.id])], in: test.ada)
        await test.settle()
        for isBack in [false, true] {
            script.change { $0.applied = [] }
            let (all, one): (Set, Set) = ([inbox, label.id], [trash])
            try await test.kernel.mail.update(
                [
                    EmailUpdate(
                        id, in: test.ada, addMailboxes: isBack ? all : one,
                        removeMailboxes: isBack ? one : all)
                ], in: test.ada)
            #expect(try await test.email(id).mailboxIDs == (isBack ? all : one))
            await test.settle()
            let told = script.now.applied.map { mutation in
                switch mutation {
                case .move: "move"
                case .add: "add"
                case .remove: "remove"
                default: "\(mutation)"
                }
            }
            #expect(told == ["move", isBack ? "add" : "remove"])
            let there = test.server.messages(of: "ada@example.org").first?.mailboxIDs
            #expect(there?.count == (isBack ? 2 : 1))
            #expect(try await test.email(id).mailboxIDs == (isBack ? all : one))
        }
        await test.kernel.stop()
    }
}
