import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MailKernelConformance
import Store
import Synchronization
import Testing

@testable import Care
@testable import Compose
@testable import Kernel

@Suite("Mail is there without the server, and nothing written then is lost", .timeLimit(.minutes(5)))
struct OfflineTests {
    private let scene = OfflineScene()

    @Test func theCopyFollowsTheStore() async throws {
        let test = try await scene.online(hasAccounts: true)
        try await scene.expectSameMail(test)
        let ids = try await test.emailIDs()
        _ = try await test.kernel.actions.perform(
            .star, on: .emails(Array(ids.prefix(2))), in: test.ada, client: "test")
        _ = try await test.kernel.actions.perform(
            .destroy, on: .emails(Array(ids.suffix(2))), in: test.ada, client: "test")
        _ = try await test.kernel.drafts.create(try await scene.content(test, "Engine"), in: test.ada)
        await test.kernel.drafts.settle()
        await test.settle()
        try await scene.expectSameMail(test)
        await test.kernel.stop()
    }

    @Test func theCopyFollowsAStoreThatChangesMeanwhile() async throws {
        let test = try await scene.online(hasAccounts: true)
        let failures = Mutex(3)
        let changing = InterceptedStorage(test.storage) { (call) async throws(StorageError) in
            let fails = failures.withLock { left in
                guard call == "body", left > 0 else { return false }
                left -= 1
                return true
            }
            if fails { throw .notFound("blob B1") }
        }
        let copy = MailStore(MemoryStorage())
        _ = try await copy.open()
        let log = LogOutput(least: .error)
        try await Replica(of: MailStore(changing), in: copy, clock: scene.clock, log: log).catchUp()
        #expect(failures.withLock { $0 } == 0)
        let ids = try await copy.read.queryEmails(EmailQuery(in: [test.ada], limit: 1000)).hits.map(\.emailID)
        #expect(try await ids == test.emailIDs(of: test.ada) && !ids.isEmpty)
        await test.kernel.stop()
    }

    @Test func mailIsReadWithoutTheServer() async throws {
        let count = Mutex(0)
        try await scene.begin { test in
            let found = try await test.emailIDs().count
            count.withLock { $0 = found }
        }
        let test = try await scene.offline()
        let ids = try await test.emailIDs()
        #expect(ids.count == count.withLock { $0 } && !ids.isEmpty)
        let email = try await test.email(try #require(ids.first))
        let subject = try #require(email.header.subject)
        #expect(try await test.storage.body(of: email.id, in: test.ada)?.values.isEmpty == false)
        let query = EmailQuery(in: [test.ada], filter: .text(subject), limit: 10)
        #expect(try await test.storage.queryEmails(query).hits.contains { $0.emailID == email.id })
        #expect(try await !test.storage.contacts(matching: "", limit: 10).isEmpty)
        // Another computer may look after the account.
        #expect(!test.kernel.store.looksAfter(test.ada))
        await test.kernel.stop()
    }

    @Test func draftsAreMergedAfterACrash() async throws {
        try await scene.begin { test in
            for subject in ["Kept", "Edited", "Both", "Gone here", "Gone there"] {
                _ = try await test.kernel.drafts.create(
                    try await scene.content(test, subject, "Old"), in: test.ada)
            }
        }
        let laptop = try await scene.offline()
        for draft in try await laptop.kernel.drafts.all(in: laptop.ada) {
            switch draft.content.subject {
            case "Edited", "Both", "Gone there":
                _ = try await laptop.kernel.drafts.update(draft.id, in: laptop.ada) {
                    var content = $0
                    content.body = "Laptop"
                    return content
                }
            case "Gone here": _ = try await laptop.kernel.drafts.destroy(draft.id, in: laptop.ada)
            default: break
            }
        }
        _ = try await laptop.kernel.drafts.create(
            try await scene.content(laptop, "New", "Laptop"), in: laptop.ada)
        #expect(try await scene.drafts(laptop).count == 5)
        await OfflineScene.kill(laptop)

        let other = try await scene.elsewhere()
        for draft in try await other.kernel.drafts.all(in: other.ada) {
            if draft.content.subject == "Both" {
                _ = try await other.kernel.drafts.update(draft.id, in: other.ada) {
                    var content = $0
                    content.body = "Desk"
                    return content
                }
            } else if draft.content.subject == "Gone there" {
                _ = try await other.kernel.drafts.destroy(draft.id, in: other.ada)
            }
        }
        await other.kernel.drafts.settle()
        await OfflineScene.kill(other)

        // It starts without the server once more before the server is back.
        let again = try await scene.offline()
        #expect(try await scene.drafts(again).contains("New: Laptop"))
        await OfflineScene.kill(again)

        let back = try await scene.online()
        await back.kernel.drafts.settle()
        #expect(
            try await scene.drafts(back) == [
                "Both: Desk", "Both: Laptop", "Edited: Laptop", "Gone there: Laptop", "Kept: Old",
                "New: Laptop",
            ])
        let notices = try await back.kernel.notices.all().map(\.notice.text)
        #expect(
            notices == ["“Both” was changed here and on another computer. Both versions are in Drafts."])
        try await scene.expectSameMail(back)
        await back.kernel.stop()
    }

    @Test func actionsReachTheService() async throws {
        try await scene.begin()
        let laptop = try await scene.offline()
        var ids: [Id<Email>] = []
        for id in try await laptop.emailIDs() where try await !laptop.email(id).keywords.contains(.flagged) {
            ids.append(id)
        }
        let before = scene.flagged
        let (starred, archived, destroyed, undone) = (ids[0], ids[1], ids[2], ids[3])
        let actions = laptop.kernel.actions
        _ = try await actions.perform(.star, on: .emails([starred]), in: laptop.ada, client: "test")
        _ = try await actions.perform(.archive, on: .emails([archived]), in: laptop.ada, client: "test")
        _ = try await actions.perform(.destroy, on: .emails([destroyed]), in: laptop.ada, client: "test")
        let action = try await actions.perform(
            .star, on: .emails([undone]), in: laptop.ada, client: "test")
        _ = try await actions.undo(action.id, in: laptop.ada)
        #expect(try await laptop.email(starred).keywords.contains(.flagged))
        await OfflineScene.kill(laptop)

        let back = try await scene.online()
        let inbox = try await back.mailbox(.inbox)
        #expect(try await back.email(starred).keywords.contains(.flagged))
        #expect(try await !back.email(archived).mailboxIDs.contains(inbox))
        #expect(try await !back.emailIDs().contains(destroyed))
        #expect(try await !back.email(undone).keywords.contains(.flagged))
        await back.settle()
        #expect(scene.flagged == before + 1)
        #expect(scene.server.messages(of: "ada@example.org").count == 6)
        try await scene.expectSameMail(back)
        await back.kernel.stop()
    }

    @Test func aMessageIsSentOnceTheServerIsBack() async throws {
        try await scene.begin()
        let laptop = try await scene.offline()
        let draft = try await laptop.kernel.drafts.create(
            try await scene.content(laptop, "Engine"), in: laptop.ada)
        let id = try await laptop.kernel.sending.send(draft.id, in: laptop.ada, isFromPage: false).id
        let pending = try await laptop.kernel.drafts.create(
            try await scene.content(laptop, "Too late"), in: laptop.ada)
        try await laptop.wait(for: "the end of the undo delay") {
            scene.clock.advance(by: 5)
            return try await laptop.storage.submissions([id], in: laptop.ada).first?.undoStatus == .final
        }
        // Its undo delay is still running when the laptop crashes.
        _ = try await laptop.kernel.sending.send(pending.id, in: laptop.ada, isFromPage: false)
        #expect(scene.delivered("Engine") == 0)
        await OfflineScene.kill(laptop)

        // The server goes away again after each of the first commits.
        for commits in 1..<4 {
            let left = Mutex(commits)
            let failing = try? await scene.online { storage in
                InterceptedStorage(storage) { call async throws(StorageError) in
                    guard call == "commit" else { return }
                    let isOver = left.withLock { left in
                        left -= 1
                        return left < 0
                    }
                    if isOver { throw .unreachable(reason: "gone") }
                }
            }
            if let failing { await OfflineScene.kill(failing) }
        }
        let back = try await scene.online()
        try await back.wait(for: "the message") {
            scene.clock.advance(by: 5)
            return scene.delivered("Engine") > 0
        }
        await back.kernel.outbox.settle()
        await back.settle()
        #expect(scene.delivered("Engine") == 1 && scene.delivered("Too late") == 0)
        #expect(try await scene.drafts(back) == ["Too late: Text"])
        await OfflineScene.kill(back)
        // And not again at the next start.
        let next = try await scene.online()
        scene.clock.advance(by: 60)
        await next.settle()
        #expect(scene.delivered("Engine") == 1)
        await next.kernel.stop()
    }

    @Test func whatNeedsTheServerIsRefused() async throws {
        try await scene.begin()
        let laptop = try await scene.offline()
        let inbox = try await laptop.mailbox(.inbox)
        await #expect(throws: StorageError.self) {
            _ = try await laptop.kernel.mail.add(
                Data("Subject: Hi\r\n\r\nHi".utf8), to: [inbox], keywords: [.draft], receivedAt: nil,
                in: laptop.ada)
        }
        await #expect(throws: StorageError.self) {
            _ = try await laptop.kernel.mail.createMailbox(
                Mailbox(id: Id("X"), accountID: laptop.ada, name: "New", rights: .all))
        }
        await #expect(throws: StorageError.self) {
            try await laptop.kernel.store.removeAccount(laptop.ada)
        }
        await laptop.kernel.stop()
    }
}
