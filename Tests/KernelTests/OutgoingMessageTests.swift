import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@testable import Compose

/// FR-COMP-01: what goes out, as other programs read it.
@Suite("FR-COMP-01: other programs read what was written") struct OutgoingMessageTests {
    private static let script = """
        import email, email.policy, json, sys
        message = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
        body = message.get_body(("plain",))
        print(json.dumps({
            "type": message.get_content_type(),
            "to": [[a.display_name, a.addr_spec] for a in message["To"].addresses],
            "bcc": message["Bcc"],
            "subject": message["Subject"],
            "references": message["References"],
            "inner": [p.get_content_type() for p in message.walk()],
            "format": body.get_param("format"),
            "plain": body.get_content(),
            "html": message.get_body(("html",)).get_content(),
            "files": [[a.get_filename(), a.get_content_type(), a.get_payload(decode=True).decode("latin-1")]
                      for a in message.iter_attachments()],
            "defects": [str(d) for p in message.walk() for d in p.defects],
        }))
        """

    @Test func pythonReadsAllOfIt() async throws {
        let scene = try await ComposeScene()
        let upload = try await scene.kernel.blobs.upload(type: "text/x-thing", to: scene.ada)
        try await upload.write(Data("caf\u{E9} \u{0}\u{1}".utf8))
        try await upload.finish()
        var content = try await scene.content("Grüße 👋🏽 שלום")
        content.html =
            "<p><b>Hallo</b> Grüße 👋🏽<br><a href=\"https://example.org/?a=1&amp;b=2\">Seite</a></p>"
            + "<blockquote type=\"cite\"><p>zitiert</p></blockquote>"
        content.to = [
            EmailAddress(name: "שלום, \"Grace\"", email: "grace@example.org"),
            EmailAddress(email: "x@bücher.example"),
        ]
        content.bcc = [EmailAddress(email: "hidden@example.org")]
        content.references = ["a@example.org", "b@example.org"]
        content.attachments = [
            DraftAttachment(blobID: upload.id, name: "Übersicht “1”.thing", type: "text/x-thing", size: 0)
        ]
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        let sent = try #require(scene.script.now.submitted.first)
        #expect(
            sent.envelope.rcptTo == ["grace@example.org", "x@xn--bcher-kva.example", "hidden@example.org"])
        #expect(!String(decoding: sent.message, as: UTF8.self).contains("hidden"))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "message.eml")
        try sent.message.write(to: file)
        let read = try await Command.run("python3", ["-c", Self.script, file.path])
        #expect(read.status == 0, "\(read.errors)")
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(read.output.utf8))
        #expect(json["type"] == "multipart/mixed")
        #expect(json["inner"]?.strings.contains("multipart/alternative") == true)
        #expect(json["to"] == [["שלום, \"Grace\"", "grace@example.org"], ["", "x@xn--bcher-kva.example"]])
        #expect(json["bcc"] == .null && json["subject"] == "Grüße 👋🏽 שלום")
        #expect(json["references"] == "<a@example.org> <b@example.org>" && json["format"] == "flowed")
        #expect(
            json["plain"]?.stringValue?.hasPrefix(
                "Hallo Grüße 👋🏽\nSeite <https://example.org/?a=1&b=2>\n\n> zitiert") == true)
        let html = try #require(json["html"]?.stringValue)
        #expect(html.contains("<b>Hallo</b> Grüße 👋🏽<br>") && html.contains("zitiert</p></blockquote>"))
        #expect(html.contains("<a href=\"https://example.org/?a=1&amp;b=2\">Seite</a>"))
        #expect(json["files"]?[0]?[0] == "Übersicht “1”.thing" && json["files"]?[0]?[1] == "text/x-thing")
        #expect(json["defects"] == [])
    }

    @Test func theCopyInSentHasTheHiddenRecipients() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        var content = try await scene.content("A")
        content.bcc = [EmailAddress(email: "hidden@example.org")]
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        try await scene.test.wait(for: "the copy") { !scene.atService(false).isEmpty }
        await scene.settle()
        let copies = scene.atService(false)
        #expect(copies.count == 1)
        let text = String(decoding: try #require(copies.first).bytes, as: UTF8.self)
        #expect(text.hasPrefix("Bcc: hidden@example.org\r\n"))
        let submission = try await scene.submission(id)
        let there = try await scene.test.emailIDs()
        #expect(there == [submission.emailID])
        #expect(
            try await scene.test.email(submission.emailID).header.bcc.map(\.email) == ["hidden@example.org"])
        #expect(try await scene.test.emailIDs().count == 1)
    }
}
