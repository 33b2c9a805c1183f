import Foundation
import MailKernelAPI
import MessageFormat
import Testing

@Suite("Drafts that cannot become messages") struct RefusalTests {
    private func refusal(_ headers: [DraftHeader] = [], _ body: DraftPart? = nil) async -> BuildError? {
        let draft = MessageDraft(headers: headers, body: body ?? DraftPart(type: "text/plain", .text("x")))
        do {
            _ = try await MessageBuilder(domain: "x.example").build(draft)
            return nil
        } catch {
            return error as? BuildError
        }
    }

    @Test(arguments: ["a\r\nBcc: x@y.example", "a\nb", "a\rb", "a\0b", "a\u{1B}b"])
    func noValueForgesAField(_ value: String) async {
        let address = [EmailAddress(name: value, email: "a@b.c")]
        let email = [EmailAddress(name: "a", email: value)]
        let forms: [HeaderValue] = [
            .text(value), .raw(value), .addresses(address), .addresses(email),
            .groupedAddresses([EmailAddressGroup(name: value, addresses: [])]), .messageIDs([value]),
            .urls([value]),
        ]
        for form in forms {
            #expect(await refusal([DraftHeader("X-Any", form)]) == .forbiddenCharacter(field: "X-Any"))
        }
        for part in [
            DraftPart(type: "text/plain", .text(""), name: value, disposition: "inline"),
            DraftPart(type: "text/plain", .text(""), name: value),
            DraftPart(type: "text/plain", .text(""), disposition: value),
            DraftPart(type: "text/plain", .text(""), cid: value),
            DraftPart(type: "text/plain", .text(""), language: [value]),
            DraftPart(type: "text/plain", .text(""), location: value),
            DraftPart(type: "application/x", .bytes(DataSource(Data())), charset: value),
        ] {
            #expect(await refusal([], part) != nil)
        }
        #expect(await refusal([], DraftPart(type: "text/\(value)", .text(""))) != nil)
    }

    @Test func namesOfFields() async {
        for name in ["", "a b", "a:b", "a\nb", "ä"] {
            #expect(await refusal([DraftHeader(name, .text("x"))]) == .invalidFieldName(name))
        }
        #expect(await refusal([DraftHeader("Content-Type", .raw(" x"))]) == .fieldIsMade("Content-Type"))
        #expect(
            await refusal([DraftHeader("Subject", .text("a")), DraftHeader("subject", .text("b"))])
                == .duplicateField("subject"))
    }

    @Test func contentThatDoesNotFitItsType() async {
        #expect(
            await refusal([], DraftPart(type: "multipart/mixed", .text("")))
                == .wrongContent(type: "multipart/mixed"))
        #expect(
            await refusal([], DraftPart(type: "text/plain", .parts([]))) == .wrongContent(type: "text/plain"))
    }

    @Test func rawFieldsMayBeFolded() async throws {
        let draft = MessageDraft(
            headers: [DraftHeader("X-Any", .raw(" a\r\n\tb"))], text: "x")
        let (message, _) = try await MessageBuilder(domain: "x.example").build(draft)
        #expect(String(decoding: message, as: UTF8.self).hasPrefix("X-Any: a\r\n\tb\r\nDate: "))
        #expect(await refusal([DraftHeader("X-Any", .raw(" a\r\n\r\n b"))]) != nil)
    }

    @Test func onlyAddressesThatNeedItMakeAMessageUTF8() async throws {
        func built(_ email: String) async throws -> (String, BuiltMessage) {
            let draft = MessageDraft(
                headers: [DraftHeader("To", .addresses([EmailAddress(name: "Jörg", email: email)]))],
                text: "ä")
            let (message, built) = try await MessageBuilder(domain: "x.example").build(draft)
            return (String(decoding: message, as: UTF8.self), built)
        }
        let (domain, plain) = try await built("joerg@müller.example")
        #expect(!plain.needsSMTPUTF8)
        #expect(domain.contains("<joerg@xn--mller-kva.example>"))
        let (local, needed) = try await built("jörg@müller.example")
        #expect(needed.needsSMTPUTF8)
        #expect(parse(Data(local.utf8)).header.to.first?.name == "Jörg")
        #expect(local.contains("<jörg@"))
    }

    /// Peak memory stays far below the size of what is attached.
    @Test func aLargeAttachmentIsWrittenInPieces() async throws {
        let sink = CountingSink()
        let source = EndlessSource(size: 50_000_000)
        let draft = MessageDraft(
            headers: [], text: "x",
            attachments: [
                DraftPart(type: "application/zip", .bytes(source), name: "a.zip", disposition: "attachment")
            ])
        let built = try await MessageBuilder(domain: "x.example").write(draft, to: sink)
        #expect(await sink.count == built.size)
        #expect(built.size > 66_000_000)
        #expect(await sink.largest < 1_000_000)
    }

    @Test func anAttachedMessageIsNotEncoded() async throws {
        let clean = Data("Subject: x\r\n\r\nbody\r\n".utf8)
        for (message, encoding) in [
            (clean, nil), (clean + Data("ä".utf8), "8bit"), (Data("a\nb".utf8), "base64"),
        ] {
            let part = DraftPart(
                type: "message/rfc822", .bytes(DataSource(message)), disposition: "attachment")
            let (bytes, built) = try await MessageBuilder(domain: "x.example").build(
                MessageDraft(headers: [], text: "see", attachments: [part]))
            #expect(MessageParser().content(of: "2", in: bytes)?.decoded == message)
            #expect(built.needs8BitMIME == (encoding == "8bit"))
        }
    }

    @Test func flowedTextReadsAsItWasWritten() async throws {
        var builder = MessageBuilder(domain: "x.example")
        builder.flowsText = true
        let paragraph = String(repeating: "word ", count: 40).trimmingCharacters(in: .whitespaces)
        let text = "\(paragraph)\n\n> quoted\n From here\n-- \nAna\n"
        let (bytes, _) = try await builder.build(MessageDraft(headers: [], text: text))
        let parsed = parse(bytes)
        let value = try #require(parsed.body.values["1"]?.value)
        #expect(parsed.body.structure.headers.first?.value.contains("format=flowed") ?? false)
        let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 73 })
        #expect(
            lines.prefix { $0.hasSuffix(" ") }.joined() + lines[lines.prefix { $0.hasSuffix(" ") }.count]
                == paragraph)
        #expect(lines.contains("> quoted") && lines.contains("  From here") && lines.contains("-- "))
    }
}

private actor CountingSink: ByteSink {
    private(set) var count = 0
    private(set) var largest = 0

    func write(_ bytes: Data) {
        count += bytes.count
        largest = max(largest, bytes.count)
    }
}

private struct EndlessSource: ByteSource {
    var size: Int

    func read(at offset: Int, count: Int) -> Data {
        Data(repeating: 7, count: max(0, min(count, size - offset)))
    }
}
