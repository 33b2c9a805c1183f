import FoundationEssentials
import Glibc
import MailKernelAPI
import MessageFormat

/// Messages as an import meets them: texts, newsletters and attachments, 23 KB on average.
enum FormatBenchmark {
    static func run(_ report: inout Report) async throws {
        let messages = (0..<1000).map(BenchMail.message)
        let megabytes = Double(messages.reduce(0) { $0 + $1.count }) / 1e6
        let parser = MessageParser()
        let parse = median(of: 5) {
            time { for message in messages { _ = parser.parse(message) { Id($0) } } }
        }
        report.add(
            Figure(
                "format.parse", "10,000 messages, \(Int(megabytes * 10)) MB, read (processor time)",
                parse * 10, "ms", against: "3 s", 3000))
        let page = String(BenchMail.page(120).prefix(50_000))
        let sanitize = median(of: 21) { time { _ = HTMLSanitizer().sanitize(page) { _ in nil } } }
        report.add(Figure("format.sanitize", "50 KB of HTML made safe", sanitize, "ms", against: "5 ms", 5))
        let text = median(of: 21) { time { _ = PlainText.from(html: page) } }
        report.add(Figure("format.text", "50 KB of HTML read as text", text, "ms", against: "5 ms", 5))
        try await build(&report)
        try folder(&report, parser)
    }

    /// A message with 20 MB attached.
    private static func build(_ report: inout Report) async throws {
        let file = DataSource(Data(repeating: 7, count: 20_000_000))
        let draft = MessageDraft(
            headers: [], text: "See there.",
            attachments: [DraftPart(type: "application/zip", .bytes(file), disposition: "attachment")])
        let began = clock()
        _ = try await MessageBuilder(domain: "example.com").write(draft, to: NoSink())
        let time = Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1000
        report.add(
            Figure("format.build", "a message with 20 MB attached", time, "ms", against: "200 ms", 200))
    }

    /// Real mail from a folder of message files, if `MAILKERNEL_BENCH_MAIL` names one.
    private static func folder(_ report: inout Report, _ parser: MessageParser) throws {
        guard let path = getenv("MAILKERNEL_BENCH_MAIL").map({ String(cString: $0) }) else { return }
        let files = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        let messages = files.compactMap { try? Data(contentsOf: URL(filePath: "\(path)/\($0)")) }
        let megabytes = Double(messages.reduce(0) { $0 + $1.count }) / 1e6
        let parse = median(of: 5) {
            time { for message in messages { _ = parser.parse(message) { Id($0) } } }
        }
        report.add(
            Figure(
                "format.folder", "\(messages.count) messages, \(Int(megabytes)) MB of the folder, read",
                parse,
                "ms", against: "300 µs each", Double(messages.count) * 0.3))
    }

    private static func median(of runs: Int, _ measure: () -> Double) -> Double {
        (0..<runs).map { _ in measure() }.sorted()[runs / 2]
    }

    /// Milliseconds of processor time.
    private static func time(_ work: () -> Void) -> Double {
        let began = clock()
        work()
        return Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1000
    }
}

private struct NoSink: ByteSink {
    func write(_ bytes: Data) {}
}

/// Mail that is made up, the same each time.
enum BenchMail {
    static func message(_ number: Int) -> Data {
        switch number % 10 {
        case 0...4: Data((header(number) + textPart(lines: 40)).utf8)
        case 5...8: newsletter(number)
        default: withAttachment(number)
        }
    }

    static func page(_ rows: Int) -> String {
        let row = """
            <tr><td style="padding:10px 20px;font-family:Arial,sans-serif;color:#333333" align="left">\
            <a href="https://shop.example.com/item/1?utm_source=mail" style="color:#0055aa">A thing that \
            you may like &ndash; now at half its price</a><br><img src="https://img.example.com/1.png" \
            width="120" height="80" alt="A thing"> Grüße from the makers of things, old and new.</td></tr>

            """
        return "<html><head><style>td { color: #333; } .a:hover { color: red }</style></head><body>"
            + "<table width=\"600\">" + String(repeating: row, count: rows) + "</table></body></html>"
    }

    private static func header(_ number: Int) -> String {
        let received = (0..<5).map { hop in
            "Received: from mx\(hop).example.com (mx\(hop).example.com [192.0.2.\(hop)])\r\n"
                + "\tby mail.example.org with ESMTPS id abcdef\(number)\r\n"
                + "\tfor <someone@example.org>; Sat, 21 Nov 2026 13:00:0\(hop) +0000\r\n"
        }
        return received.joined() + """
            From: =?utf-8?Q?J=C3=B6rg_Schr=C3=B6der?= <joerg\(number)@example.com>\r
            To: Someone <someone@example.org>, "Else, Anyone" <else@example.org>\r
            Subject: =?utf-8?B?R3LDvMOfZSBhdXMgS8O2bG4=?= and more \(number)\r
            Date: Sat, 21 Nov 2026 13:00:00 +0100\r
            Message-ID: <\(number).abc@example.com>\r
            References: <1.abc@example.com> <2.abc@example.com>\r
            DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=x;\r
            \th=from:to:subject; bh=\(String(repeating: "a", count: 43))=; b=\(String(repeating: "b", count: 172))\r
            MIME-Version: 1.0\r\n
            """
    }

    private static func textPart(lines: Int) -> String {
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
            + String(
                repeating: "A line of text as people write it, with ä and ö here and there.\r\n", count: lines
            )
    }

    private static func newsletter(_ number: Int) -> Data {
        let html = page(50).replacing("=", with: "=3D").replacing("\n", with: "=\r\n")
        return Data(
            """
            \(header(number))Content-Type: multipart/alternative; boundary=b1\r
            \r
            --b1\r
            \(textPart(lines: 60))\r
            --b1\r
            Content-Type: text/html; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            \(html)\r
            --b1--\r\n
            """.utf8)
    }

    private static func withAttachment(_ number: Int) -> Data {
        let file = Data((0..<72_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 5 ^ number) })
        let base64 = file.base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        return Data(
            """
            \(header(number))Content-Type: multipart/mixed; boundary=b2\r
            \r
            --b2\r
            \(textPart(lines: 20))\r
            --b2\r
            Content-Type: application/pdf\r
            Content-Disposition: attachment; filename=\"report.pdf\"\r
            Content-Transfer-Encoding: base64\r
            \r
            \(base64)\r
            --b2--\r\n
            """.utf8)
    }
}
