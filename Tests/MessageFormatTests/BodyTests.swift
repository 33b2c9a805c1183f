import Foundation
import MailKernelAPI
import Testing

@testable import MessageFormat

@Suite("Bodies as readers want them") struct BodyTests {
    private func shown(_ message: String) -> String {
        let parsed = MessageParser().parse(Data(message.replacing("\n", with: "\r\n").utf8)) { Id("B\($0)") }
        let parts = BodyParts.split(parsed.body.structure)
        return parts.shown(of: parsed.body).compactMap { $0.partID.flatMap { parsed.body.values[$0]?.value } }
            .joined()
    }

    @Test(arguments: ["", "<html><body>&nbsp;<br></body></html>", "<p> </p>"])
    func anEmptyPageHidesNoText(_ page: String) {
        let message = """
            Content-Type: multipart/alternative; boundary=b

            --b
            Content-Type: text/plain

            It is here.
            --b
            Content-Type: text/html

            \(page)
            --b--
            """
        #expect(shown(message).contains("It is here."))
    }

    @Test func thePageIsShownThoughItsImageComesFirst() {
        let message = """
            Content-Type: multipart/related; boundary=b; start="<root@x>"

            --b
            Content-Type: image/png
            Content-ID: <logo@x>

            x
            --b
            Content-Type: text/html
            Content-ID: <root@x>

            <p>It is here.</p><img src="cid:logo@x">
            --b--
            """
        #expect(shown(message).contains("It is here."))
    }

    @Test(arguments: ["markdown", "enriched", "richtext", "xml", "x-unheard-of"])
    func anotherKindOfTextIsText(_ kind: String) {
        #expect(shown("Content-Type: text/\(kind)\n\nIt is here.\n").contains("It is here."))
    }

    /// The example of RFC 8621, section 4.1.4.
    @Test func theExampleOfTheRFC() {
        func part(_ name: String, _ type: String, _ disposition: String? = nil) -> EmailBodyPart {
            EmailBodyPart(partID: name, disposition: disposition).typed(type)
        }
        func multi(_ type: String, _ parts: [EmailBodyPart]) -> EmailBodyPart {
            EmailBodyPart(type: "multipart/\(type)", subParts: parts)
        }
        let structure = multi(
            "mixed",
            [
                part("A", "text/plain", "inline"),
                multi(
                    "mixed",
                    [
                        multi(
                            "alternative",
                            [
                                multi(
                                    "mixed",
                                    [
                                        part("B", "text/plain", "inline"), part("C", "image/jpeg", "inline"),
                                        part("D", "text/plain", "inline"),
                                    ]),
                                multi("related", [part("E", "text/html"), part("F", "image/jpeg")]),
                            ]),
                        part("G", "image/jpeg", "attachment"), part("H", "application/x-excel"),
                        part("J", "message/rfc822"),
                    ]),
                part("K", "text/plain", "inline"),
            ])
        let parts = BodyParts.split(structure)
        #expect(parts.textBody.compactMap(\.partID) == ["A", "B", "C", "D", "K"])
        #expect(parts.htmlBody.compactMap(\.partID) == ["A", "E", "K"])
        #expect(parts.attachments.compactMap(\.partID) == ["C", "F", "G", "H", "J"])
    }

    @Test func onlyHTMLIsTheTextToo() {
        let parts = BodyParts.split(
            EmailBodyPart(
                type: "multipart/alternative", subParts: [EmailBodyPart(partID: "1", type: "text/html")]))
        #expect(parts.textBody.map(\.partID) == ["1"])
        #expect(parts.htmlBody.map(\.partID) == ["1"])
    }

    @Test func imagesOfThePageAreNoAttachments() {
        func message(_ html: String) -> ParsedMessage {
            parse(
                """
                Content-Type: multipart/related; boundary=a

                --a
                Content-Type: text/html

                \(html)
                --a
                Content-Type: image/png
                Content-ID: <pic@x>
                Content-Location: image001.png

                x
                --a--

                """)
        }
        #expect(!message("<img src='cid:pic@x'>").hasAttachment)
        #expect(!message("<img src='image001.png'>").hasAttachment)
        #expect(message("<p>no picture").hasAttachment)
    }

    @Test(arguments: [
        ("ééé", 3, false, "é"), ("abc", 3, false, "abc"), ("👩‍👩‍👧", 5, false, "👩"), ("ab<b>c", 4, true, "ab"),
        ("ab<b>cd", 6, true, "ab<b>c"), ("a &amp; b", 5, true, "a "), ("a &amp; b", 8, true, "a &amp; "),
        ("abc", 0, false, "abc"),
    ]) func cutWithinLimits(_ text: String, _ bytes: Int, _ isHTML: Bool, _ expected: String) {
        let cut = EmailBodyValue(text).truncated(toBytes: bytes, isHTML: isHTML)
        #expect(
            cut.value.unicodeScalars.elementsEqual(expected.unicodeScalars) || cut.value.hasPrefix(expected))
        #expect(cut.value.utf8.count <= bytes || bytes == 0)
        #expect(cut.isTruncated == (cut.value != text))
    }

    @Test(
        arguments: [
            ("utf-8", [0xC3, 0xA9], "é", false), ("us-ascii", [0xC3, 0xA9], "é", false),
            ("us-ascii", [0xE9, 0x93], "é“", true), ("utf-8", [0x61, 0xE9], "aé", true),
            ("utf-8", [0xC3, 0xA9, 0xFF], "é\u{FFFD}", true), ("iso-8859-1", [0x80, 0xE9], "€é", false),
            ("koi8-r", [0xC4, 0xC1], "да", false), ("nonsense", [0x61, 0xE9], "aé", true),
            ("nonsense", [0x61], "a", true), ("shift_jis", [0x93, 0xFA], "日", false),
            ("gb2312", [0xC4, 0xE3], "你", false), ("euc-kr", [0xC7, 0xD1], "한", false),
            ("big5", [0xA7, 0x41], "你", false), ("gb2312", [0xFF, 0x61], "\u{FFFD}a", true),
            ("utf-16le", [0x61, 0x00, 0x3D, 0xD8], "a\u{FFFD}", true),
            ("", [0xEF, 0xBB, 0xBF, 0x61], "a", false),
            ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED], "שלום", false),
            ("windows-1258", [0x54, 0x69, 0xEA, 0xEC], "Tiế", false),
            ("windows-1258", [0x54, 0x69, 0xEA], "Tiê", false),
        ] as [(String, [UInt8], String, Bool)])
    func charsets(_ charset: String, _ bytes: [UInt8], _ text: String, _ isProblem: Bool) {
        let header = "Content-Type: text/plain" + (charset.isEmpty ? "" : "; charset=\(charset)")
        let message = parse(Data("\(header)\r\n\r\n".utf8) + Data(bytes))
        #expect(message.body.values["1"] == EmailBodyValue(text, isEncodingProblem: isProblem))
    }

    @Test(arguments: [
        ("base64", "YWJj", "abc"), ("base64", "YW Jj\r\nZGU", "abcde"), ("base64", "YQ==YQ==", "aa"),
        ("base64", "YWI=\r\n____\r\nmailing list", "ab"), ("BASE64", "YWJj", "abc"),
        ("quoted-printable", "a=3Db=\r\nc", "a=bc"), ("quoted-printable", "a= \r\nb", "ab"),
        ("quoted-printable", "100=ZZ =", "100=ZZ "), ("quoted-printable", "==41", "=A"),
        ("x-uuencode", "begin 644 x\r\n#86)C\r\n`\r\nend\r\n", "abc"), ("8bit", "abc", "abc"),
        ("quoted-printable", "=e4=BD=a0", "你"),
    ]) func transferEncodings(_ encoding: String, _ encoded: String, _ decoded: String) {
        let message = Data("Content-Transfer-Encoding: \(encoding)\r\n\r\n\(encoded)".utf8)
        let parsed = parse(message)
        #expect(parsed.body.values["1"]?.value == decoded)
        #expect(parsed.body.structure.size == decoded.utf8.count)
        let content = MessageParser().content(of: "1", in: message)
        #expect(content?.decoded == Data(decoded.utf8))
        #expect(content.map(inPieces) == Data(decoded.utf8))
    }

    @Test func anUnknownEncodingIsNone() {
        let value = parse("Content-Transfer-Encoding: x-own\n\nYWJj").body.values["1"]
        #expect(value == EmailBodyValue("YWJj", isEncodingProblem: true))
    }

    private func inPieces(_ content: PartContent) -> Data {
        var decoder = TransferDecoder(content.encoding)
        return content.encoded.reduce(into: Data()) { $0 += decoder.decode(Data([$1])) } + decoder.finish()
    }
}

extension EmailBodyPart {
    fileprivate init(partID: String, disposition: String?) {
        self.init(partID: partID, type: "", disposition: disposition)
    }

    fileprivate func typed(_ type: String) -> EmailBodyPart {
        var part = self
        part.type = type
        return part
    }
}
