import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import MessageFormat

/// Random bytes. `MAILKERNEL_FUZZ_SECONDS=600` runs longer than a test has time for.
@Suite("No bytes bring it down") struct FuzzTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["MAILKERNEL_FUZZ_SECONDS"].flatMap(Double.init) ?? 4

    @Test func mutatedMail() throws {
        let seeds = try Fixtures.messages() + collected()
        try #require(seeds.count >= 20)
        try fuzz(seeds) { data in
            let message = parse(data)
            #expect(message.preview.unicodeScalars.count <= 256)
            let parser = MessageParser()
            for part in message.body.structure.all.prefix(5) {
                guard let partID = part.partID else { continue }
                #expect(parser.content(of: partID, in: data)?.decoded.count == part.size)
            }
            for form in HeaderForm.allCases {
                for field in message.body.headers.prefix(5) { _ = form.value(of: field.value) }
            }
        }
    }

    @Test func mutatedPages() throws {
        let seeds = [
            "<p style=\"color:red;background:url(http://x/)\"><a href='https://x.example/'>a</a><img src=cid:x></p>",
            "<style>@media x { a { b: c } } p{color:red}</style><table><tr><td background=x>a<blockquote type=cite>b",
            "<svg><style><img src=x onerror=y></style></svg><math><mtext></table><!-- --!><![CDATA[x]]><noscript>",
            "<b><i><form></b><input></i><script>x</script><textarea></b><select><option></select>&#x61;&amp;&#0;",
            "<section hidden><div><b a=1><i b=2><font c=3></div><p>a<p>b<table><td></b><p>c</table></i><p>d",
            "<b =\"><i a='</b>'><!x </b><title></b></title><!-- --!></ b></b\u{1}>",
        ].map { Data($0.utf8) }
        try fuzz(seeds) { data in
            let html = String(decoding: data, as: UTF8.self)
            let safe = HTMLSanitizer(remoteURL: { $0 }).sanitize(html) { "/blob/\($0)" }
            let problems = InertHTML(safe.html, allowsRemote: true).problems
            #expect(problems == [], "\(html)")
            _ = PlainText.from(html: html)
            _ = PlainText.beginning(of: html, enough: 100)
        }
    }

    private func collected() throws -> [Data] {
        Corpora.areHere ? try Corpora.mail.prefix(300).map { try Data(contentsOf: $0) } : []
    }

    /// Changes seeds until the time is over; a failure names the round, which is the same each time.
    private func fuzz(_ seeds: [Data], _ check: (Data) throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var round: UInt64 = 0
        while ContinuousClock.now < end {
            var random = SeededRandom(round)
            var data = seeds[Int(random.next() % UInt64(seeds.count))].prefix(100_000)
            for _ in 0..<(random.next() % 8 + 1) { Self.change(&data, &random) }
            try check(Data(data))
            round += 1
        }
        #expect(round > 10)
    }

    private static let words = [
        "\r\n", "\n\n", "\0", "--", "=?utf-8?B?", "?=",
        "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n",
        "Content-Transfer-Encoding: base64\r\n", "\"", "<", ">", "<style>", "</style>", "<!--", "url(", "\\",
        "{", "}",
        ";", "charset=utf-16", "charset=iso-2022-jp", "<svg>", "<table>", "<math>", "(", ":", ",", "<b>",
        "<b a=1>", "<p>", "<title>", "</td>",
        "&#0;", "=",
    ].map { Data($0.utf8) }

    private static func change(_ data: inout Data, _ random: inout SeededRandom) {
        let place = data.isEmpty ? 0 : Int(random.next() % UInt64(data.count))
        let index = data.startIndex + place
        let length = Int(random.next() % 40)
        switch random.next() % 6 {
        case 0: data.insert(contentsOf: words[Int(random.next() % UInt64(words.count))], at: index)
        case 1: data.removeSubrange(index..<min(index + length, data.endIndex))
        case 2: data = data.prefix(place)
        case 3 where !data.isEmpty: data[index] = UInt8(truncatingIfNeeded: random.next())
        case 4: data.insert(contentsOf: data.dropFirst(place).prefix(length), at: index)
        default:
            data.insert(
                contentsOf: (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: index)
        }
    }
}
