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
