import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose

@Suite("FR-COMP-01: what is large is said, and what no server takes is not sent") struct DraftLimitTests {
    private func content(attached size: Int, body: String = "Text") -> DraftContent {
        var content = DraftContent(
            identityID: Id("I"), to: [EmailAddress(email: "grace@example.org")], subject: "Large", body: body)
        guard size > 0 else { return content }
        var attachment = DraftAttachment(blobID: Id("U"), name: "a.bin", type: "a/b", size: size)
        attachment.keptAs = Id("K")
        content.attachments = [attachment]
        return content
    }

    @Test(arguments: [(100_000, false), (100_001, true)])
    func aLongTextIsSaidAndSentAllTheSame(_ size: Int, _ isLong: Bool) {
        let problems = content(attached: 0, body: String(repeating: "a", count: size)).problems
        #expect(problems.map(\.kind) == (isLong ? [.bodyLarge] : []))
        #expect(problems.allSatisfy { !$0.blocksSending })
    }

    @Test(arguments: [
        ("See the attached plan.", "attached"), ("Siehe Anhang!", "anhang"), ("Voir ci-joint.", "ci joint"),
        ("添付します", "添付"), ("Hi\n\n> attached", nil), ("Hi\n-- \nattached", nil),
        ("https://x.org/attached", nil),
        ("---------- Forwarded message ----------\nattached", nil), ("unattached", nil),
    ])
    func aForgottenAttachmentIsNoticed(_ text: String, _ word: String?) {
        let problems = content(attached: 0, body: text).problems
        #expect(problems.filter { $0.kind == .missingAttachment }.map(\.value) == (word.map { [$0] } ?? []))
        #expect(problems.allSatisfy { !$0.blocksSending })
        #expect(!content(attached: 1, body: text).problems.contains { $0.kind == .missingAttachment })
    }

    /// A reply quotes the logo of a signature; that is not the report.
    @Test func aPictureInTheTextIsNoAttachedFile() {
        var reply = content(attached: 1, body: "See the attached report.")
        reply.html = "<p>See the attached report.</p><img src=\"cid:logo\">"
        reply.attachments[0].cid = "logo"
        reply.attachments[0].isInline = true
        #expect(reply.problems.contains { $0.kind == .missingAttachment })
        reply.attachments[0].isInline = false
        #expect(!reply.problems.contains { $0.kind == .missingAttachment })
    }

    @Test func whatATemplateLeftOpenIsNoticedWhereTheUserWrites() {
        var draft = content(attached: 0, body: "Dear {First Name},\n\n> Dear {name},")
        draft.subject = "For {name}"
        let left = draft.problems.filter { $0.kind == .placeholderLeft }
        #expect(left.map(\.field) == ["subject", "body"])
        #expect(left.map(\.value) == ["{name}", "{First Name}"])
        #expect(left.allSatisfy { !$0.blocksSending })
    }

    /// ORG-87: braces that no template has are the user's own.
    @Test func placeholdersOfTheUsersTemplatesAreNoticedAsWell() {
        let text = "{Company} and {x: 1}, {company}, {}, { }, {name\n}, {\n> {order}"
        let draft = content(attached: 0, body: text)
        let left = draft.problems(withPlaceholders: ["company", "order", "", " "])
            .filter { $0.kind == .placeholderLeft }
        #expect(left.map(\.value) == ["{Company}"])
        #expect(!draft.problems.contains { $0.kind == .placeholderLeft })
    }

    @Test(arguments: [
        ("Dear {Company},", true), ("{R&D}", true), ("{return address}", true), ("Order #{order no.}", true),
        ("Total (net) {amount}", true), ("{Straße – Ort}", true), ("if (a) {return x}", false),
        ("{return null}", false), ("() {count}", false), ("x => {name2}", false), ("{a, b}", false),
        ("p {color: red}", false), ("{f()}", false), ("{break}", false), ("{$1}", false),
        ("{let isOn}", false),
    ])
    func bracesOfCodeAreNoPlaceholders(_ text: String, _ isOne: Bool) {
        let own = Placeholders.own(in: text)
        #expect(own.isEmpty != isOne, "\(own)")
        let left = content(attached: 0, body: text).problems(withPlaceholders: own)
        #expect(left.contains { $0.kind == .placeholderLeft } == isOne)
    }

    /// The limit is on the files; the warning is on the message, which Base64 makes a third larger.
    @Test(
        arguments: [
            (14_000_000, []), (15_000_000, [.attachmentsLarge]), (18_700_000, [.attachmentsLarge]),
            (25_000_000, [.attachmentsLarge]), (25_000_001, [.attachmentsTooLarge]),
        ] as [(Int, [DraftProblem.Kind])])
    func filesOf25MBCanBeSentAndNotAByteMore(_ size: Int, _ kinds: [DraftProblem.Kind]) {
        let problems = content(attached: size).problems
        #expect(problems.map(\.kind) == kinds)
        #expect(problems.map(\.blocksSending).contains(true) == (kinds == [.attachmentsTooLarge]))
    }

    @Test func severalFilesCountTogether() {
        var draft = content(attached: 13_000_000)
        draft.attachments += content(attached: 12_000_001).attachments
        #expect(draft.problems.map(\.kind) == [.attachmentsTooLarge])
    }

    private func draft(attached size: Int, in scene: ComposeScene) async throws -> Draft {
        let upload = try await scene.kernel.blobs.upload(type: "application/octet-stream", to: scene.ada)
        try await upload.write(Data(count: size))
        try await upload.finish()
        var content = try await scene.content("Large")
        content.attachments = [
            DraftAttachment(
                blobID: upload.id, name: "large.bin", type: "application/octet-stream", size: size)
        ]
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        await scene.settle()
        return draft
    }

    @Test func theSizeThatIsToldIsThatOfTheMessage() async throws {
        let scene = try await ComposeScene()
        let draft = try await draft(attached: 1_000_000, in: scene)
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        let sent = try #require(scene.script.now.submitted.first).message.count
        let told = draft.content.encodedSize
        #expect(told >= sent && Double(told) < Double(sent) * 1.01, "\(told) told, \(sent) sent")
        await scene.kernel.stop()
    }

    /// A limit for the encoded message would otherwise refuse files that the limit for files allows.
    @Test func filesOf25MBFitAMessageOnceTheyAreEncoded() {
        #expect(content(attached: 25_000_000).encodedSize < DraftContent.maxMessageBytes)
    }

    @Test func whatIsTooLargeStaysADraft() async throws {
        let scene = try await ComposeScene()
        let draft = try await draft(attached: 25_000_001, in: scene)
        await #expect(throws: ComposeError.self) { try await scene.send(draft) }
        scene.clock.advance(by: 60)
        await scene.settle()
        #expect(scene.script.now.submitted.isEmpty)
        #expect(try await scene.saved(draft.id)?.submissionID == nil)
        await scene.kernel.stop()
    }
}
