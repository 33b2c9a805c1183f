import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import MessageFormat
import Testing

@testable import Compose

/// FR-COMP-01: a message as it goes out, as it stands in Drafts, and as it comes back.
@Suite("FR-COMP-01: what is written as HTML goes out as text and HTML") struct ComposedMessageTests {
    private static let html =
        "<p>A <b>plan</b></p><p><img src=\"cid:map@here\" alt=\"Map\"></p>"
        + "<p><img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"\"></p>"

    private func content(_ scene: ComposeScene, unused: Bool = false) async throws -> DraftContent {
        var content = try await scene.content("Engines", "")
        content.html = Self.html
        for (name, cid) in [("map.png", "map@here"), ("gone.png", "gone@here"), ("plan.bin", nil)] {
            let upload = try await scene.kernel.blobs.upload(type: "image/png", to: scene.ada)
            try await upload.write(Data(name.utf8))
            try await upload.finish()
            var file = DraftAttachment(
                blobID: upload.id, name: name, type: "image/png", size: name.utf8.count)
            file.cid = cid
            file.isInline = cid != nil
            content.attachments.append(file)
        }
        return content
    }

    private func parsed(_ message: Data) -> ParsedMessage {
        MessageParser().parse(message) { Id("B" + $0) }
    }

    private func shape(_ part: EmailBodyPart) -> String {
        let type = part.type.split(separator: "/").last.map(String.init) ?? ""
        return part.subParts.isEmpty ? type : "\(type)(\(part.subParts.map(shape).joined(separator: " ")))"
    }

    private func value(_ type: String, _ message: ParsedMessage) throws -> String {
        let part = try #require(message.body.structure.all.first { $0.type == type })
        return try #require(part.partID.flatMap { message.body.values[$0] }).value.replacing(
            "\r\n", with: "\n")
    }

    @Test func itGoesOutAsAlternativesWithItsImages() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.kernel.drafts.create(try await content(scene), in: scene.ada)
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        let message = parsed(try #require(scene.script.now.submitted.first).message)
        #expect(shape(message.body.structure) == "mixed(alternative(plain related(html png png)) png)")
        #expect(try value("text/plain", message).hasPrefix("A plan\n\n[Map]"))
        let html = try value("text/html", message)
        #expect(
            html.contains("<b>plan</b>") && html.contains("src=\"cid:map@here\"") && !html.contains("data:"))
        let parts = message.body.structure.all
        let type = parts.first { $0.type == "text/plain" }?.headers.first?.value ?? ""
        #expect(type.contains("format=flowed") && type.contains("delsp=no"))
        #expect(parts.compactMap(\.cid) == ["map@here", "embedded-1@example.org"])
        #expect(parts.compactMap(\.name) == ["map.png", "plan.bin"])
        await scene.kernel.stop()
    }

    /// Another client, or another of the user's devices.
    @Test func aDraftThatComesBackKeepsItsFormattingAndItsImages() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.kernel.drafts.create(try await content(scene), in: scene.ada)
        await scene.settle()
        let here = try #require(try await scene.saved(draft.id)?.emailID)
        let foreign = try #require(
            try await ForeignDraft(store: scene.kernel.store).draft(of: here, in: scene.ada))
        #expect(foreign.content.html == Self.html && foreign.content.body == draft.content.body)
        #expect(foreign.content.attachments.map(\.name) == ["map.png", "plan.bin"])
        #expect(foreign.content.attachments.map(\.isInline) == [true, false])
        #expect(foreign.content.attachments.map(\.size) == [7, 8])
        await scene.kernel.stop()
    }

    @Test func plainTextIsOneFlowedText() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("Engines", "Not **bold**\n")
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        let message = parsed(try #require(scene.script.now.submitted.first).message)
        #expect(shape(message.body.structure) == "plain")
        #expect(try value("text/plain", message) == "Not **bold**\n")
        await scene.kernel.stop()
    }
}
