import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel

/// FR-COMP-02, FR-SYNC-07: the tables of the composer's specification, row by row.
@Suite("FR-COMP-02: the states of a message that is written and sent") struct SendStateTests {
    @Test("Composing: sendState none, isDraft true")
    func composing() async throws {
        let scene = try await ComposeScene()
        let draft = try #require(try await scene.saved(try await scene.draft("A").id))
        let email = try await scene.test.email(try #require(draft.emailID))
        #expect(draft.submissionID == nil && email.keywords.contains(.draft))
        #expect(try await scene.test.storage.submissions(nil, in: scene.ada).isEmpty)
    }

    @Test("none (draft) → queued: the user taps Send; on disk before the countdown")
    func undoWindowActive() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        let submission = try await scene.submission(id)
        #expect(submission.sendState == .queued && submission.undoStatus == .pending)
        let email = try await scene.test.email(submission.emailID)
        #expect(!email.keywords.contains(.draft))
        #expect(scene.script.now.submitted.isEmpty)
    }

    @Test("queued → none (draft): the user taps Undo")
    func undoCancelled() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        #expect(
            try await scene.kernel.outbox.cancel(id, in: scene.ada)?.sendState
                == EmailSubmission.SendState.none)
        let back = try #require(try await scene.saved(draft.id))
        #expect(back.content == draft.content && back.submissionID == nil)
        #expect(try await scene.test.email(try #require(back.emailID)).keywords.contains(.draft))
        scene.clock.advance(by: 3600)
        await scene.settle()
        #expect(scene.delivered.isEmpty)
    }

    @Test("queued → none (draft): the app is terminated during the undo window, and never sends by itself")
    func terminatedDuringUndo() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        try await scene.kill()
        await scene.settle()
        #expect(try await scene.submission(id).undoStatus == .canceled)
        scene.clock.advance(by: 86_400)
        await scene.settle()
        #expect(scene.delivered.isEmpty && scene.script.now.submitted.isEmpty)
        let back = try #require(try await scene.saved(draft.id))
        #expect(back.content == draft.content && back.submissionID == nil)
        #expect(scene.atService(true).count == 1)
        let notice = try #require(try await scene.kernel.notices.forPage().first?.notice)
        #expect(notice.text == "Your message was not sent. It is in Drafts.")
        #expect(notice.emailID == back.emailID)
    }

    @Test("App is killed while the timer pauses: the page is told that it is a draft, and not that it waits")
    func terminatedDuringPause() async throws {
        let scene = try await ComposeScene()
        await scene.kernel.presence.opened("w1")
        let id = try await scene.send(try await scene.draft("A"), isFromPage: true)
        await scene.kernel.presence.closed("w1")
        try await scene.test.wait(for: "the notice") {
            scene.clock.advance(by: 600)
            return try await !scene.kernel.notices.all().isEmpty
        }
        #expect(try await scene.kernel.notices.forPage().isEmpty)
        try await scene.kill()
        await scene.settle()
        #expect(try await scene.kernel.notices.all().map(\.id) == ["not-sent-\(id)"])
    }

    @Test("A draft without subject that was deleted elsewhere is not taken for any other one without")
    func deletedElsewhereWithoutSubject() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("")
        let other = "From: ada@example.org\r\nTo: bob@example.org\r\n\r\nSomething else\r\n"
        _ = try await scene.kernel.mail.add(
            Data(other.utf8), to: [try await scene.test.mailbox(.drafts)], keywords: [.draft, .seen],
            receivedAt: scene.clock.now, in: scene.ada)
        let email = try #require(try await scene.saved(draft.id)?.emailID)
        try await scene.kernel.mail.destroy([email], in: scene.ada)
        try await scene.test.wait(for: "it to be written again") {
            try await scene.saved(draft.id).map { $0.emailID != email || $0.conflict != nil } ?? true
        }
        await scene.settle()
        let left = try #require(try await scene.saved(draft.id))
        #expect(left.conflict == nil && left.content == draft.content)
    }

    @Test("queued → sending → sent: the timer expires; the draft is gone from both sides")
    func sent() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        await scene.settle()
        #expect(try await scene.saved(draft.id) == nil)
        #expect(scene.atService(true).isEmpty && scene.delivered == ["A"])
    }

    @Test("sending → failed → queued: after three retries, until the user taps Retry")
    func failedAndRetried() async throws {
        let scene = try await ComposeScene()
        let busy = SubmissionOutcome.rejected(SubmissionReply(code: 451, text: "Later"), refused: [:])
        scene.script.change { $0.submitOutcomes = Array(repeating: busy, count: 4) }
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        for (number, pause) in [30.0, 120, 480].enumerated() {
            try await scene.wait("try \(number + 1)", id) { $0.tries == number + 1 && $0.nextTryAt != nil }
            scene.clock.advance(by: pause)
        }
        try await scene.wait("failure", id) { $0.sendState == .failed }
        #expect(try await scene.saved(draft.id)?.content == draft.content)
        #expect(try await scene.kernel.outbox.retry(id, in: scene.ada))
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
    }

    @Test("failed → none (draft): what failed can be edited, and the edited text is sent")
    func failedAndEdited() async throws {
        let scene = try await ComposeScene()
        let no = SubmissionOutcome.rejected(SubmissionReply(code: 550, text: "No such user"), refused: [:])
        scene.script.change { $0.submitOutcomes = [no] }
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("failure", id) { $0.sendState == .failed && $0.failure == "No such user" }
        #expect(try await scene.kernel.outbox.cancel(id, in: scene.ada) != nil)
        let edited = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
            var content = $0
            content.subject = "B"
            return content
        }
        let again = try await scene.send(edited)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", again) { $0.sendState == .sent }
        #expect(scene.delivered == ["B"])
    }

    /// FR-SYNC-07: the composer shows them, after a reload and a restart too.
    @Test("failed → none (draft): the draft keeps the server's words until it is sent")
    func aDraftKeepsTheWordsOfTheRefusal() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let reply = SubmissionReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        scene.script.change { $0.submitOutcomes = [.rejected(reply, refused: [:])] }
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("failed", id) { $0.sendState == .failed }
        #expect(try await scene.kernel.outbox.cancel(id, in: scene.ada) != nil)
        let words = "This message was not sent. No such user here"
        #expect(try await scene.saved(draft.id)?.failure == words)
        try await scene.kill()
        #expect(try await scene.saved(draft.id)?.failure == words)
        // Undo of another try does not make it look as if there had been no refusal.
        let again = try await scene.send(draft)
        #expect(try await scene.kernel.outbox.cancel(again, in: scene.ada) != nil)
        #expect(try await scene.saved(draft.id)?.failure == words)
    }

    @Test("App enters background during the undo window: the timer pauses, and resumes")
    func background() async throws {
        let scene = try await ComposeScene()
        await scene.kernel.presence.opened("w1")
        let draft = try await scene.draft("A")
        let id = try await scene.send(draft, isFromPage: true)
        scene.clock.advance(by: 3)
        await scene.kernel.presence.closed("w1")
        try await scene.test.wait(for: "the pause") { await scene.kernel.outbox.paused == [id] }
        try await scene.test.wait(for: "the notice") {
            scene.clock.advance(by: 600)
            return try await !scene.kernel.notices.all().isEmpty
        }
        #expect(scene.delivered.isEmpty)
        await scene.kernel.presence.opened("w2")
        try await scene.test.wait(for: "the end of the pause") { await scene.kernel.outbox.paused.isEmpty }
        try await scene.wait("a new time", id) { [now = scene.clock.now] in $0.sendAt == now + 2 }
        try await scene.test.wait(for: "the notice's end") { try await scene.kernel.notices.all().isEmpty }
        scene.clock.advance(by: 2)
        try await scene.wait("sent", id) { $0.sendState == .sent }
    }

    @Test("The user has chosen that closed windows send; a client without windows always does")
    func backgroundThatSends() async throws {
        let scene = try await ComposeScene()
        await scene.kernel.presence.opened("w1")
        let client = try await scene.send(try await scene.draft("Client"))
        await scene.kernel.presence.closed("w1")
        scene.clock.advance(by: 5)
        try await scene.wait("sent", client) { $0.sendState == .sent }
        try await scene.kernel.preferences.set(["sendWhileClosed": true])
        await scene.kernel.presence.opened("w1")
        let page = try await scene.send(try await scene.draft("Page"), isFromPage: true)
        await scene.kernel.presence.closed("w1")
        scene.clock.advance(by: 5)
        try await scene.wait("sent", page) { $0.sendState == .sent }
    }

    @Test("Device loses network during the undo window: the timer goes on, then the queue waits")
    func offline() async throws {
        let scene = try await ComposeScene()
        let id = try await scene.send(try await scene.draft("A"))
        scene.test.server.setOutage(.offline)
        scene.clock.advance(by: 5)
        try await scene.wait("a try", id) { $0.failure != nil && $0.sendState == .queued }
        scene.test.server.setOutage(nil)
        scene.clock.advance(by: 30)
        try await scene.wait("sent", id) { $0.sendState == .sent }
    }

    @Test("Undo window set to 0: sending proceeds at once")
    func noWindow() async throws {
        let scene = try await ComposeScene()
        try await scene.kernel.preferences.set(["undoSendDelaySeconds": 0])
        let id = try await scene.send(try await scene.draft("A"))
        try await scene.wait("sent", id) { $0.sendState == .sent }
    }

    @Test("Where nothing can be looked up, what may have been sent is not sent again by itself")
    func doubtful() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        scene.script.change { $0.losesAnswer = true }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("doubt", id) { $0.sendState == .failed }
        scene.clock.advance(by: 3600)
        await scene.settle()
        #expect(scene.delivered == ["A"])
    }
}

/// FR-COMP-01: one version of a draft at the service, whatever happens in between.
@Suite("FR-COMP-01: a draft is once in the service's Drafts") struct DraftSyncTests {
    @Test(arguments: [MemoryMailServer.Layout.labels, .folders])
    func versionsReplaceOneAnotherOnceAMinute(_ layout: MemoryMailServer.Layout) async throws {
        let scene = try await ComposeScene(layout: layout)
        let draft = try await scene.draft("v0")
        try await scene.test.wait(for: "the first") { scene.atService(true).map(\.subject) == ["v0"] }
        for number in 1...3 {
            _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
                var content = $0
                content.subject = "v\(number)"
                return content
            }
            await scene.settle()
        }
        #expect(scene.atService(true).map(\.subject) == ["v0"])
        try await scene.test.wait(for: "the newest") {
            scene.clock.advance(by: 10)
            await scene.settle()
            return scene.atService(true).map(\.subject) == ["v3"]
        }
        await scene.settle()
        #expect(try await scene.test.emailIDs().count == 1)
        #expect(scene.test.server.messages(of: "ada@example.org").count == 1)
    }

    /// Each version that is shown is a whole message on the disk.
    @Test func whatIsTypedQuicklyIsShownOnceASecond() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("v0")
        await scene.settle()
        let shown = try await scene.test.emailIDs()
        let asleep = scene.clock.sleepers
        for number in 1...3 {
            _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
                var content = $0
                content.subject = "v\(number)"
                return content
            }
        }
        try await scene.test.wait(for: "the pause") { scene.clock.sleepers > asleep }
        #expect(try await scene.test.emailIDs() == shown)
        try await scene.test.wait(for: "the newest") {
            scene.clock.advance(by: 1)
            return try await scene.test.emailIDs() != shown
        }
        #expect(try await scene.kernel.drafts.draft(draft.id, in: scene.ada)?.shownVersion == 4)
    }

    @Test(arguments: [MemoryMailServer.Layout.labels, .folders])
    func endedAnywhereItIsThereOnce(_ layout: MemoryMailServer.Layout) async throws {
        for number in Sweep.isThorough ? Array(0..<12) : [Int.random(in: 0..<12), 3, 8] {
            let scene = try await ComposeScene(layout: layout)
            let draft = try await scene.kernel.drafts.create(try await scene.content("one"), in: scene.ada)
            for _ in 0..<(number * 7) { await Task.yield() }
            try await scene.kill()
            _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
                var content = $0
                content.subject = "two"
                return content
            }
            for _ in 0..<(number * 5) { await Task.yield() }
            try await scene.kill()
            try await scene.test.wait(for: "one version") {
                scene.clock.advance(by: 61)
                await scene.settle()
                return scene.atService(true).map(\.subject) == ["two"]
            }
            #expect(try await scene.test.emailIDs().count == 1)
        }
    }

    @Test func aConnectionLostWhileAddingIsSettledByLooking() async throws {
        let scene = try await ComposeScene()
        scene.script.change { $0.appendErrors = [.unreachable(host: "h", reason: "r")] }
        _ = try await scene.draft("A")
        try await scene.test.wait(for: "one") {
            scene.clock.advance(by: 61)
            await scene.settle()
            return scene.atService(true).count == 1
        }
    }

    @Test func destroyingTakesItFromBothSides() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        try await scene.test.wait(for: "the service's") { scene.atService(true).count == 1 }
        #expect(try await scene.kernel.drafts.destroy(draft.id, in: scene.ada))
        await scene.settle()
        #expect(scene.test.server.messages(of: "ada@example.org").isEmpty)
        #expect(try await scene.test.emailIDs().isEmpty)
    }
}
