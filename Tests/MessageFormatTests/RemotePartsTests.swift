import Foundation
import MailKernelAPI
import MessageFormat
import Testing

@Suite("Messages of which a service sent only the parts") struct RemotePartsTests {
    private let whole = Data(
        """
        From: Ana <ana@example.com>\r
        Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r
        Content-Type: multipart/mixed; boundary=b\r
        \r
        --b\r
        Content-Type: text/plain; charset=iso-8859-1\r
        Content-Transfer-Encoding: quoted-printable\r
        \r
        Gr=FC=DFe aus K=F6ln\r
        --b\r
        Content-Type: application/pdf; name="a.pdf"\r
        Content-Disposition: attachment; filename*=utf-8''%C3%9Cbersicht.pdf\r
        Content-Transfer-Encoding: base64\r
        \r
        AAEC\r
        --b--\r\n
        """.utf8)

    private var header: Data { whole.prefix(upTo: whole.firstRange(of: Data("--b".utf8))?.lowerBound ?? 0) }

    private func structure(text: Data?, isTruncated: Bool = false) -> RemoteBodyPart {
        RemoteBodyPart(
            partID: "", type: "multipart/mixed",
            subParts: [
                RemoteBodyPart(
                    partID: "1", type: "TEXT/PLAIN", parameters: ["charset": "iso-8859-1"],
                    encoding: "quoted-printable", size: 24, bytes: text, isTruncated: isTruncated),
                RemoteBodyPart(
                    partID: "2", type: "application/pdf", parameters: ["name": "a.pdf"],
                    disposition: "attachment",
                    dispositionParameters: ["filename*": "utf-8''%C3%9Cbersicht.pdf"], encoding: "base64",
                    size: 4),
            ])
    }

    /// A JMAP service hands out what it read: headers, parts and texts, with ids of its own.
    @Test func whatAServiceReadIsTakenOver() {
        let parser = MessageParser()
        let message = parser.parse(.whole(whole)) { Id("p\($0)") }
        var foreign = message.body
        foreign.structure.type = "Multipart/Mixed"
        foreign.structure.subParts[0].blobID = Id("theirs")
        foreign.structure.subParts[1].disposition = "ATTACHMENT"
        let read = parser.parse(.parsed(foreign)) { Id("p\($0)") }
        #expect(read == message)
    }

    @Test func whatAServiceReadIsHeldToTheLimits() {
        var limits = MessageParser.Limits()
        (limits.text, limits.parts, limits.depth, limits.headerFields) = (10, 3, 1, 2)
        let text = EmailBodyPart(partID: "1", type: "text/plain")
        let inner = EmailBodyPart(
            type: "multipart/mixed", subParts: [EmailBodyPart(partID: "2", type: "text/html")])
        let body = EmailBody(
            headers: (0..<5).map { HeaderField(name: "X-\($0)", value: "") },
            structure: EmailBodyPart(type: "multipart/mixed", subParts: [text, inner, text]),
            values: [
                "1": EmailBodyValue(String(repeating: "ä", count: 50)), "other": EmailBodyValue("unknown"),
            ])
        let read = MessageParser(limits: limits).parse(.parsed(body)) { Id($0) }
        #expect(read.body.headers.count == 2)
        #expect(read.body.structure.subParts.map(\.type) == ["text/plain", "multipart/mixed"])
        #expect(read.body.structure.subParts.last?.subParts.isEmpty == true)
        #expect(read.body.values.keys.sorted() == ["1"])
        #expect(read.body.values["1"] == EmailBodyValue("äääää", isTruncated: true))
    }

    /// The same message gives the same, however it comes.
    @Test func theyAreReadLikeTheWhole() {
        let parser = MessageParser()
        let content = RemoteMessage.Content.parts(
            header: header, structure: structure(text: Data("Gr=FC=DFe aus K=F6ln".utf8)))
        let parts = parser.parse(content) { Id("p\($0)") }
        let message = parser.parse(.whole(whole)) { Id("p\($0)") }
        #expect(parts.header == message.header)
        #expect(parts.preview == "Grüße aus Köln")
        #expect(parts.preview == message.preview)
        #expect(parts.hasAttachment && message.hasAttachment)
        #expect(parts.body.headers == message.body.headers)
        #expect(parts.body.values == message.body.values)
        for (one, other) in zip(parts.body.structure.all, message.body.structure.all) {
            #expect(one.partID == other.partID)
            #expect(one.blobID == other.blobID)
            #expect(one.type == other.type)
            #expect(one.charset == other.charset)
            #expect(one.name == other.name)
            #expect(one.disposition == other.disposition)
            #expect(one.size == other.size)
        }
        #expect(message.body.structure.subParts[1].name == "Übersicht.pdf")
    }

    @Test func whatWasNotFetchedHasNoValue() {
        let message = MessageParser().parse(.parts(header: header, structure: structure(text: nil))) {
            Id($0)
        }
        #expect(message.body.values.isEmpty)
        #expect(message.preview == "")
    }

    @Test func whatWasCutSaysSo() {
        let cut = structure(text: Data("Gr=FC=DFe au".utf8), isTruncated: true)
        let message = MessageParser().parse(.parts(header: header, structure: cut)) { Id($0) }
        #expect(message.body.values["1"] == EmailBodyValue("Grüße au", isTruncated: true))
    }
}
