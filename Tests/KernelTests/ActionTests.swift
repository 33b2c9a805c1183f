import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel
@testable import Mail
@testable import Store

@Suite("Actions are recorded, undone and finished") struct ActionTests {
    private func count(_ test: TestKernel, _ role: Mailbox.Role) async throws -> Int {
        let id = try await test.mailbox(role)
        return try await test.storage.mailboxes([id], in: test.ada).first?.counts.totalEmails ?? 0
    }

    private func everything(_ test: TestKernel) async throws -> ActionTarget {
        .matches(.inRole(.inbox), in: try await test.mailbox(.inbox))
    }

    @Test func aConversationIsArchivedHereAndThereAndComesBackAfterARestart() async throws {
        let disk = MemoryStorage.Disk()
        let test = try await TestKernel(messages: 3, on: disk)
        let id = try await test.emailIDs()[0]
        let thread = try #require(try await test.storage.emails([id], in: test.ada).first).threadID
        let before = try await test.email(id)
        let action = try await test.kernel.actions.perform(
            .archive, on: .threads([thread], in: try await test.mailbox(.inbox)), in: test.ada,
            client: "page")
        #expect(action.state == .done && action.changed > 0 && action.client == "page")
        #expect(try await test.email(id).mailboxIDs == [try await test.mailbox(.archive)])
        await test.settle()
        await test.kernel.stop()

        let later = try await TestKernel(on: disk, clock: test.clock, server: test.server, hasAccounts: false)
        let kept = try #require(try await later.kernel.actions.all(in: test.ada).first)
        #expect(kept == action)
        let undone = try await later.kernel.actions.undo(action.id, in: test.ada)
        #expect(undone.state == .undone && undone.kept == 0)
        await later.settle()
        #expect(try await later.email(id).mailboxIDs == before.mailboxIDs)
        await #expect(throws: ActionProblem(sentence: "This action was already undone.")) {
            try await later.kernel.actions.undo(action.id, in: test.ada)
        }
        await later.kernel.stop()
    }

    /// What the user changed again since stays as it is now, and is counted.
    @Test func undoLeavesMailThatWasChangedSince() async throws {
        let test = try await TestKernel(messages: 3)
        let ids = try await test.emailIDs()
        let action = try await test.kernel.actions.perform(
            .trash, on: .emails(ids), in: test.ada, client: "page")
        #expect(action.changed == 3)
        let (trash, archive) = (try await test.mailbox(.trash), try await test.mailbox(.archive))
        try await test.kernel.mail.update(
            [EmailUpdate(ids[0], in: test.ada, addMailboxes: [archive], removeMailboxes: [trash])],
            in: test.ada)
        try await test.kernel.mail.destroy([ids[1]], in: test.ada)
        let undone = try await test.kernel.actions.undo(action.id, in: test.ada)
        #expect(undone.kept == 2)
        #expect(try await test.email(ids[0]).mailboxIDs == [archive])
        #expect(try await test.email(ids[2]).mailboxIDs == [try await test.mailbox(.inbox)])
        await test.kernel.stop()
    }

    @Test func aLargeActionRunsInStepsAndIsUndoneWhole() async throws {
        let test = try await TestKernel(messages: 350)
        let target = try await everything(test)
        let all = try await count(test, .inbox)
        let action = try await test.kernel.actions.perform(.archive, on: target, in: test.ada, client: "page")
        #expect(action.state == .running && action.total > StepTarget.size && action.done == StepTarget.size)
        try await test.wait(for: "its end") {
            try await test.kernel.actions.action(action.id, in: test.ada)?.state == .done
        }
        #expect(try await count(test, .inbox) == 0)
        #expect(try await test.kernel.actions.action(action.id, in: test.ada)?.changed == all)
        _ = try await test.kernel.actions.undo(action.id, in: test.ada)
        try await test.wait(for: "its undoing") {
            try await test.kernel.actions.action(action.id, in: test.ada)?.state == .undone
        }
        #expect(try await count(test, .inbox) == all)
        await test.kernel.stop()
    }

    @Test func anActionThatHasChangedNothingYetCanBeStopped() async throws {
        let test = try await TestKernel(messages: 350)
        let target = try await everything(test)
        let first = try await test.kernel.actions.perform(.read, on: target, in: test.ada, client: "page")
        try await test.wait(for: "its end") {
            try await test.kernel.actions.action(first.id, in: test.ada)?.state == .done
        }
        let again = try await test.kernel.actions.perform(.read, on: target, in: test.ada, client: "page")
        #expect(again.state == .running && again.changed == 0 && again.mayBeUndone)
        try await test.wait(for: "its end") {
            try await test.kernel.actions.action(again.id, in: test.ada)?.state == .done
        }
        #expect(try await test.kernel.actions.action(again.id, in: test.ada)?.mayBeUndone == false)
        await test.kernel.stop()
    }

    /// A store that fails is like a program that was killed: what was not done is done after the next start, once.
    @Test(arguments: [false, true]) func whatWasInterruptedGoesOnAtTheNextStart(_ isUndoing: Bool)
        async throws
    {
        let disk = MemoryStorage.Disk()
        let commits = Watched(Int.max)
        let test = try await TestKernel(
            messages: 350, on: disk,
            wrapStorage: { storage in
                InterceptedStorage(storage) { call async throws(StorageError) in
                    guard call == "commit" else { return }
                    let left = commits.withLock { left in
                        left -= 1
                        return left
                    }
                    if left < 0 { throw .unwritable(reason: "A test has it so.") }
                }
            })
        let all = try await count(test, .inbox)
        let target = try await everything(test)
        await test.settle()
        commits.withLock { $0 = isUndoing ? Int.max : 2 }
        let action = try await test.kernel.actions.perform(.archive, on: target, in: test.ada, client: "page")
        if isUndoing {
            try await test.wait(for: "its end") {
                try await test.kernel.actions.action(action.id, in: test.ada)?.state == .done
            }
            await test.settle()
            commits.withLock { $0 = 2 }
            _ = try await test.kernel.actions.undo(action.id, in: test.ada)
        }
        try await test.wait(for: "the failure") { commits.value < 0 }
        await test.kernel.stop()

        let later = try await TestKernel(on: disk, clock: test.clock, server: test.server, hasAccounts: false)
        try await later.wait(for: "its end") {
            let state = try await later.kernel.actions.action(action.id, in: test.ada)?.state
            return state == (isUndoing ? .undone : .done)
        }
        #expect(try await count(later, .inbox) == (isUndoing ? all : 0))
        await later.kernel.stop()
    }

    @Test func deletingForGoodIsRecordedAndCannotBeUndone() async throws {
        let test = try await TestKernel(messages: 2)
        let ids = try await test.emailIDs()
        let action = try await test.kernel.actions.perform(
            .destroy, on: .emails([ids[0]]), in: test.ada, client: "page")
        #expect(action.changed == 1 && !action.mayBeUndone)
        #expect(try await test.emailIDs() == [ids[1]])
        await #expect(throws: ActionProblem(sentence: "Deleted messages cannot be brought back.")) {
            try await test.kernel.actions.undo(action.id, in: test.ada)
        }
        await test.kernel.stop()
    }

    @Test func anActionIsForgottenAfter30Days() async throws {
        let test = try await TestKernel(messages: 1)
        let ids = try await test.emailIDs()
        _ = try await test.kernel.actions.perform(.star, on: .emails(ids), in: test.ada, client: "page")
        test.clock.advance(by: 29 * 86_400)
        try await test.kernel.actions.removeOld(of: test.ada)
        #expect(try await test.kernel.actions.all(in: test.ada).count == 1)
        test.clock.advance(by: 2 * 86_400)
        try await test.kernel.actions.removeOld(of: test.ada)
        #expect(try await test.kernel.actions.all(in: test.ada).isEmpty)
        #expect(
            try await test.kernel.store.allDocuments(in: "mail-action-step", accountID: test.ada).isEmpty)
        await test.kernel.stop()
    }

    /// What comes later in a muted conversation stays out of the inbox.
    @Test func aMutedConversationStaysOutOfTheInbox() async throws {
        let test = try await TestKernel()
        let inbox = try await test.mailbox(.inbox)
        func message(_ id: String, _ more: String = "") -> Data {
            Data(
                "From: Grace <grace@example.org>\r\nSubject: Loud\r\nMessage-ID: <\(id)@example.org>\r\n\(more)\r\nText\r\n"
                    .utf8)
        }
        test.server.deliver(message("1"), to: "ada@example.org")
        try await test.wait(for: "the first") { try await test.emailIDs().count == 1 }
        let first = try await test.emailIDs()[0]
        let thread = try #require(try await test.storage.emails([first], in: test.ada).first).threadID
        _ = try await test.kernel.actions.perform(
            .mute, on: .threads([thread], in: inbox), in: test.ada, client: "page")
        test.server.deliver(message("2", "References: <1@example.org>\r\n"), to: "ada@example.org")
        test.server.deliver(message("3"), to: "ada@example.org")
        try await test.wait(for: "both") { try await test.emailIDs().count == 3 }
        try await test.wait(for: "the second to be archived") { try await count(test, .inbox) == 1 }
        _ = try await test.kernel.actions.perform(
            .unmute, on: .threads([thread], in: nil), in: test.ada, client: "page")
        test.server.deliver(message("4", "References: <1@example.org>\r\n"), to: "ada@example.org")
        try await test.wait(for: "the fourth") { try await count(test, .inbox) == 2 }
        await test.kernel.stop()
    }
}
