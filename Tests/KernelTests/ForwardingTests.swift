import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose

/// FR-COMP-01: an attachment of a forwarded message that is not on this device.
@Suite("FR-COMP-01: what is forwarded goes out with all its attachments") struct ForwardingTests {
    private static let message = """
        From: Grace <grace@example.org>\r
        To: ada@example.org\r
        Subject: Plans\r
        Message-ID: <plans@example.org>\r
        MIME-Version: 1.0\r
        Content-Type: multipart/mixed; boundary=b\r
        \r
        --b\r
        Content-Type: text/plain\r
        \r
        See below.\r
        --b\r
        Content-Type: application/x-plan\r
        Content-Disposition: attachment; filename=plan.bin\r
        \r
        the plan itself\r
        --b\r
        Content-Type: application/x-plan\r
        Content-Disposition: attachment; filename=map.bin\r
        \r
        and its map\r
        --b--\r

        """

    private static let files = ["plan.bin": "the plan itself", "map.bin": "and its map"]

    /// A scene with a message, and the forward of it as the composer begins it.
    private func forward() async throws -> (ComposeScene, DraftContent) {
        let scene = try await ComposeScene()
        scene.test.server.deliver(Data(Self.message.utf8), to: "ada@example.org")
        try await scene.test.wait(for: "the message") { try await scene.test.emailIDs().count == 1 }
        await scene.settle()
        let id = try #require(try await scene.test.emailIDs().first)
        var content = try #require(try await scene.kernel.prefill.content(.forward, of: id, in: scene.ada))
        content.to = [EmailAddress(email: "grace@example.org")]
        #expect(content.attachments.map(\.name) == ["plan.bin", "map.bin"])
        return (scene, content)
    }

    private func arrived(_ scene: ComposeScene) -> [String] {
        scene.script.now.submitted.map { String(decoding: $0.message, as: UTF8.self) }
    }

    /// The clock moves on only between tries: time that passes during one would end it.
    private func untilSent(_ id: Id<EmailSubmission>, _ scene: ComposeScene) async throws {
        try await scene.test.wait(for: "the message") {
            await scene.kernel.outbox.settle()
            let submission = try await scene.submission(id)
            try #require(submission.sendState != .failed, "\(submission.failure ?? "no reason")")
            if submission.sendState == .queued { scene.clock.advance(by: 30) }
            return submission.sendState == .sent
        }
    }

    /// One message has arrived, and each attachment in it has its bytes.
    private func expectAllFiles(_ scene: ComposeScene) {
        #expect(arrived(scene).count == 1)
        let parts = arrived(scene).flatMap { $0.components(separatedBy: "filename=").dropFirst() }
        #expect(parts.count == Self.files.count)
        for (name, bytes) in Self.files {
            let part = parts.first { $0.hasPrefix(name) } ?? ""
            #expect(part.contains(Data(bytes.utf8).base64EncodedString()), "\(name) has other bytes")
        }
    }

    private func problems(_ scene: ComposeScene, _ draft: Draft) async throws -> [DraftProblem] {
        do {
            _ = try await scene.send(draft)
            return []
        } catch ComposeError.problems(let problems) {
            return problems.filter(\.blocksSending)
        }
    }

    /// Sent without a connection, and then the attachment cannot be had.
    private func failed() async throws -> (ComposeScene, Draft, Id<EmailSubmission>) {
        let (scene, content) = try await forward()
        scene.test.server.setOutage(.offline)
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        let id = try await scene.send(draft)
        scene.script.change { $0.fetchErrors = Array(repeating: .notFound, count: 9) }
        scene.clock.advance(by: 5)
        try await scene.wait("the failure", id) { $0.sendState == .failed }
        return (scene, draft, id)
    }

    @Test("A fetch that fails blocks, and is tried again when the user says so")
    func retried() async throws {
        let (scene, content) = try await forward()
        // The part cannot be had, and neither can the whole message.
        scene.script.change { $0.fetchErrors = Array(repeating: .notFound, count: 9) }
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        await scene.settle()
        let blocking = try await problems(scene, draft)
        #expect(blocking.map(\.kind) == [.attachmentFailed, .attachmentFailed])
        #expect(blocking.first?.text.hasSuffix("Try again, or remove it.") == true)
        scene.script.change { $0.fetchErrors = [] }
        _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
            var content = $0
            for index in content.attachments.indices { content.attachments[index].problem = nil }
            return content
        }
        await scene.settle()
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        expectAllFiles(scene)
    }

    @Test("What cannot be fetched can be removed, and the rest goes out")
    func removed() async throws {
        let (scene, content) = try await forward()
        // The part cannot be had, and neither can the whole message.
        scene.script.change { $0.fetchErrors = Array(repeating: .notFound, count: 9) }
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        await scene.settle()
        let failed = [DraftProblem.Kind](repeating: .attachmentFailed, count: 2)
        #expect(try await problems(scene, draft).map(\.kind) == failed)
        _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) {
            var content = $0
            content.attachments = []
            return content
        }
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(arrived(scene).count == 1 && !arrived(scene)[0].contains("filename="))
    }

    @Test(
        "Sent while there is no connection, it goes out once the attachment is here",
        arguments: [
            AccountError.offline, .insecure(host: "mail.test", reason: "The certificate is invalid."),
        ])
    func waiting(_ outage: AccountError) async throws {
        let (scene, content) = try await forward()
        scene.test.server.setOutage(outage)
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        #expect(
            try await scene.saved(draft.id)?.content.problems.map(\.kind) == [
                .attachmentPending, .attachmentPending,
            ])
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("the wait", id) { $0.sendState == .queued && $0.failure != nil }
        #expect(arrived(scene).isEmpty)
        scene.test.server.setOutage(nil)
        try await untilSent(id, scene)
        expectAllFiles(scene)
    }

    @Test(
        "Sent while there is no connection, and then it cannot be fetched: failed, with the reason, to be edited"
    )
    func failingLater() async throws {
        let (scene, draft, id) = try await failed()
        #expect(try await scene.submission(id).failure?.contains("plan.bin") == true)
        #expect(try await scene.kernel.outbox.cancel(id, in: scene.ada) != nil)
        let back = try #require(try await scene.saved(draft.id))
        #expect(back.submissionID == nil && back.content.attachments.count == 2)
    }

    @Test("Tried again, what could not be fetched is fetched")
    func triedAgain() async throws {
        let (scene, _, id) = try await failed()
        scene.script.change { $0.fetchErrors = [] }
        scene.test.server.setOutage(nil)
        #expect(try await scene.kernel.outbox.retry(id, in: scene.ada))
        try await untilSent(id, scene)
        expectAllFiles(scene)
    }

    @Test("A fetch that began before another try says nothing about that try")
    func failingLate() async throws {
        let (scene, draft, id) = try await failed()
        let (drafts, keeping) = (scene.kernel.drafts, DraftKeeping(drafts: scene.kernel.drafts))
        let file = try #require(draft.content.attachments.first)
        // From here on what still fetches in the background only waits.
        scene.script.change { $0.fetchErrors = [] }
        let before = await drafts.fetchRound(of: draft.id)
        try await drafts.fetchAgain(for: try await scene.submission(id))
        try await keeping.failed(file.blobID, of: draft, in: before, because: "Too late.")
        let problems = try await scene.saved(draft.id)?.content.attachments.map(\.problem)
        #expect(problems == [nil, nil])
        let now = await drafts.fetchRound(of: draft.id)
        try await keeping.failed(file.blobID, of: draft, in: now, because: "It is gone.")
        #expect(try await scene.saved(draft.id)?.content.attachments.first?.problem == "It is gone.")
    }
}
