import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import MessageFormat

/// Headers as mailbox files, mail stores and careless programs leave them.
@Suite("Headers that do not begin or end where they should") struct ForeignHeaderTests {
    private static let header = "From: ana@example.com\r\nSubject: Lunch\r\n\r\nAt noon.\r\n"

    @Test(arguments: [
        "", "\0\0\0", "\0\r\n", "\r\n", "\n\n\n", " \t\r\n\r\n", "\u{FEFF}", "\u{FEFF}\r\n",
        "From ana@example.com Sat Jan  1 00:00:00 2026\n", "From \n", "From - \r\n",
        "\n\n\u{FEFF}", "\u{FEFF}\u{FEFF}", "From - \n\u{FEFF}",
        ">From ana@example.com\n\n", "\r\nFrom - Sat\r\n", "\u{FEFF}From - Sat\r\n\r\n",
    ]) func whatIsBeforeAHeader(_ before: String) {
        let message = parse(before + Self.header)
        #expect(message.header.subject == "Lunch")
        #expect(message.header.from == [EmailAddress(email: "ana@example.com")])
        #expect(message.body.values["1"]?.value == "At noon.\n")
    }

    @Test func aFieldIsNotTheLineOfAMailboxFile() {
        #expect(parse("From : ana@example.com\n\nx").header.from == [EmailAddress(email: "ana@example.com")])
    }

    /// An empty line, and text that happens to look like a field, are no header.
    @Test(arguments: ["\r\nHello there,\r\n", "\r\nNote: at noon.\r\n", "\n\n"])
    func textWithoutAHeaderStaysText(_ text: String) {
        let message = parse(text)
        #expect(message.body.headers == [])
        #expect(message.body.values["1"]?.value.contains("there") == text.contains("there"))
        #expect(message.body.values["1"]?.value.contains("Note: at noon.") == text.contains("Note"))
    }

    @Test func aLineThatIsNoFieldEndsTheHeader() {
        let message = parse("From: ana@example.com\nSubject: Lunch\nHi Ben,\nat noon?\n\nAna\n")
        #expect(message.header.subject == "Lunch")
        #expect(message.body.values["1"]?.value == "Hi Ben,\nat noon?\n\nAna\n")
        #expect(message.preview == "Hi Ben, at noon? Ana")
    }

    @Test(arguments: ["https://shop.example/path now", "10:30 we meet", "12:00"])
    func anAddressOfAPageOrATimeEndsTheHeader(_ line: String) {
        let message = parse("From: ana@example.com\nSubject: Lunch\n\(line)\n")
        #expect(message.header.subject == "Lunch")
        #expect(message.body.values["1"]?.value == "\(line)\n")
    }

    @Test func partsOfAMessageWithoutAnEmptyLineAreFound() throws {
        let data = Data(
            """
            Subject: Lunch
            Content-Type: multipart/mixed; boundary=b
            This is a message in parts.
            --b
            Content-Type: text/plain; charset=utf-8

            Grüße
            --b
            Content-Type: application/pdf; name=menu.pdf
            Content-Transfer-Encoding: base64

            bWVudQ==
            --b--
            """.utf8)
        let message = parse(data)
        #expect(message.body.structure.subParts.map(\.type) == ["text/plain", "application/pdf"])
        #expect(message.body.values["1"]?.value == "Grüße")
        let content = try #require(MessageParser().content(of: "2", in: data))
        #expect(content.decoded == Data("menu".utf8))
    }

    @Test func lineEndsWithTwoCarriageReturns() {
        let message = parse("Subject: Lunch\r\r\nTo: ben@example.com\r\r\n\r\r\nAt noon.\r\r\n")
        #expect(message.header.subject == "Lunch")
        #expect(message.header.to.map(\.email) == ["ben@example.com"])
        #expect(message.body.values["1"]?.value.hasPrefix("At noon.") == true)
    }

    /// A long run of empty lines, or of lines that are no header, takes no more than a moment.
    @Test(arguments: ["\n", " \n", "From x\n", "no field\n", "X: y\n", " folded\n", "\r"])
    func manyLines(_ line: String) {
        let lines = String(repeating: line, count: 50_000)
        #expect(processorTime { _ = parse("Subject: x\n" + lines + "\nText") } < .seconds(30))
        #expect(processorTime { _ = parse(lines) } < .seconds(30))
    }

    /// What ends a text for one program must not end it for the reader.
    @Test func aNULDoesNotCutAnAddress() {
        let message = parse(Data("From: service@paypal.com\0@evil.example\r\n\r\nx".utf8))
        #expect(message.header.from == [EmailAddress(email: "service@paypal.com\u{FFFD}@evil.example")])
    }

    @Test func rawTextInTheCharsetOfTheFirstPart() throws {
        var data = Data("Content-Type: multipart/alternative; boundary=b\nSubject: ".utf8)
        data += [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
        data += Data("\n\n--b\nContent-Type: text/plain; charset=windows-1251\n\nx\n--b--\n".utf8)
        #expect(parse(data).header.subject == "Привет")
    }

    @Test func rawLatin1AndRawJapanese() {
        #expect(
            parse(Data("Subject: Gr".utf8) + [0xFC, 0xDF] + Data("e\n\nx".utf8)).header.subject == "Grüße")
        #expect(parse("Subject: \u{1B}$BF|K\\\u{1B}(B\n\nx").header.subject == "日本")
    }

    // MARK: File names

    @Test(arguments: [
        ("x-sjis", "filename*=x-sjis''%93%FA%96%7B.txt", "日本.txt"),
        ("windows-31j", "filename*=windows-31j''%87%40.txt", "①.txt"),
        ("x-mac-cyrillic", "filename*=x-mac-cyrillic''%8F%F0%E8%E2%E5%F2.txt", "Привет.txt"),
        ("koi8-r", "filename*=koi8-r'ru'%F0%D2%C9%D7%C5%D4.txt", "Привет.txt"),
        ("split", "filename*0*=x-sjis''%93%FA%96; filename*1*=%7B.txt", "日本.txt"),
        ("out of order", "filename*1*=%C3%A9.txt; filename*0*=utf-8''caf", "café.txt"),
        ("mixed", "filename*0*=utf-8''a%20; filename*1=\"b c\"; filename*2*=%2Etxt", "a b c.txt"),
        ("plain", "filename*0=long; filename*1=\"er.txt\"", "longer.txt"),
        ("quoted", "filename*=\"utf-8''caf%C3%A9.txt\"", "café.txt"),
        ("both", "filename=\"cafe.txt\"; filename*=utf-8''caf%C3%A9.txt", "café.txt"),
        ("open quote", "filename=\"my report.pdf", "my report.pdf"),
        ("no charset", "filename*=caf%C3%A9.txt", "café.txt"),
        ("unknown charset", "filename*=unheard-of''caf%C3%A9.txt", "café.txt"),
    ]) func names(_ what: String, _ parameters: String, _ expected: String) {
        let message = parse(
            "Content-Type: application/pdf\nContent-Disposition: attachment; \(parameters)\n\nx")
        #expect(message.body.structure.name == expected, "\(what)")
    }

    // MARK: Charsets

    @Test(arguments: [
        ("hz-gb-2312", "~{Dc:C~} ~~ x\n", "你好 ~ x\n"), ("HZ-GB-2312", "a~\nb", "ab"),
        ("utf-7", "Gr+APwA3w-e +- 1+AD0-1\n", "Grüße + 1=1\n"), ("unicode-1-1-utf-7", "+2D3eAA", "😀"),
        ("utf-7", "1 + 1", "1 + 1"), ("x-mac-cyrillic", "abc", "abc"), ("windows-cp1251", "abc", "abc"),
    ]) func bodies(_ charset: String, _ written: String, _ expected: String) {
        let message = parse("Content-Type: text/plain; charset=\(charset)\n\n\(written)")
        #expect(message.body.values["1"]?.value == expected)
    }

    @Test(arguments: [
        (" =?HZ-GB-2312?Q?=7E=7BDc:C=7E=7D?=", "你好"), (" =?utf-7?Q?Gr+APwA3w-e?=", "Grüße"),
        (" =?x-sjis?B?k/qWew==?=", "日本"), (" =?x-sjis?B?k/qW?= =?x-sjis?B?ew==?=", "日本"),
        (" =?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?S1wbKEI=?=", "日本"),
        (" =?x-mac-cyrillic?Q?=8F=F0?=", "Пр"), (" =?x-mac-greek?Q?=A1=E5=E9=C0?=", "Γειά"),
        (" =?x-mac-turkish?Q?=DEi=DFli_=DC=DD?=", "Şişli İı"), (" =?x-mac-ce?Q?=EBlu=E9?=", "Žluť"),
        (" =?MacRoman?Q?=8E?=", "é"), (" =?UTF_8?Q?=C3=A9?=", "é"), (" =?utf-8//IGNORE?Q?=C3=A9?=", "é"),
        (" =?ISO_8859-15:1999?Q?=A4?=", "€"), (" =?l9?Q?=A4?=", "€"), (" =?logical?Q?=F9?=", "ש"),
        (" =?iso-8859-6-i?Q?=D9?=", "ع"), (" =?big5-eten?Q?=A4=A4?=", "中"),
        (" =?x-sjis-jisx0213?Q?=93=FA?=", "日"),
        (" =?x-iso-10646-ucs-2?Q?=00a?=", "a"),
    ]) func words(_ raw: String, _ expected: String) {
        #expect(HeaderForm.text(of: raw) == expected)
    }

    /// What UTF-7 spells is as foreign as what ASCII does.
    @Test func utf7IsMadeSafe() {
        let message = parse(
            "Content-Type: text/html; charset=utf-7\n\n+ADw-script+AD4-alert(1)+ADw-/script+AD4-Hello")
        let html = message.body.values["1"]?.value ?? ""
        #expect(html.contains("<script>"))
        let safe = HTMLSanitizer().sanitize(html) { "/blob/\($0)" }
        #expect(InertHTML(safe.html, allowsRemote: false).problems == [])
        #expect(safe.html.contains("Hello"))
        #expect(!safe.html.contains("alert"))
    }

    /// A page does not get to turn what is harmless in ASCII into tags.
    @Test func aPageCannotNameUTF7() {
        let message = parse(
            "Content-Type: text/html\n\n<meta charset=utf-7>+ADw-b+AD4-")
        #expect(message.body.values["1"]?.value.contains("+ADw-b+AD4-") == true)
    }
}
