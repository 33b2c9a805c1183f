import Foundation
import MailKernelAPI
import MessageFormat
import Testing

@Suite("Messages that are made") struct BuilderTests {
    @Test func aMessageIsReadAsItWasWritten() async throws {
        let draft = MessageDraft(
            headers: [
                DraftHeader("From", .addresses([EmailAddress(name: "Jörg Müller", email: "j@example.com")])),
                DraftHeader("To", .addresses([EmailAddress(name: "Last, First", email: "l@example.com")])),
                DraftHeader(
                    "Subject",
                    .text("Grüße aus Köln 🎉 und noch viel mehr Text, der nicht in eine Zeile passt")),
            ],
            text: "Hallo Jörg\nund tschüss\n", html: "<p>Hallo <b>Jörg</b></p>",
            attachments: [
                DraftPart(
                    type: "image/png", .bytes(DataSource(Data([1, 2, 3]))), name: "Übersicht.png",
                    disposition: "attachment")
            ])
        let (message, built) = try await MessageBuilder(domain: "example.com").build(draft)
        #expect(built.size == message.count)
        let parsed = parse(message)
        #expect(
            parsed.header.subject == "Grüße aus Köln 🎉 und noch viel mehr Text, der nicht in eine Zeile passt"
        )
        #expect(parsed.header.from == [EmailAddress(name: "Jörg Müller", email: "j@example.com")])
        #expect(parsed.header.to == [EmailAddress(name: "Last, First", email: "l@example.com")])
        #expect(parsed.body.values["1.1"]?.value == "Hallo Jörg\nund tschüss\n")
        #expect(parsed.body.values["1.2"]?.value == "<p>Hallo <b>Jörg</b></p>")
        #expect(parsed.body.structure.subParts[1].name == "Übersicht.png")
        #expect(parsed.body.structure.subParts[1].size == 3)
        #expect(parsed.hasAttachment)
        #expect(MessageParser().content(of: "2", in: message)?.decoded == Data([1, 2, 3]))
    }
}
