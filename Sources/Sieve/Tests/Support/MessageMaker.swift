import Foundation

/// Messages for scripts to decide about: made by dice, and real ones where there are some.
enum MessageMaker {
    private static let words = [
        "invoice", "Invoice 4711", "[list] news", "Re: meeting", "Grüße", "sale 50%", "*stars*", "what?",
        "back\\slash",
        "", "URGENT!!!", "a_b", "lunch at 12:30", "[BUG-17] crash", "aaaaab", "100", "007", "=?x?=",
    ]
    private static let people = [
        "Bob <bob@example.net>", "ada@example.org", "Ada <ada+bills@example.org>",
        "\"Last, First\" <x.y@sub.example.com>",
        "friends: a@b.example, C <c@d.example>;", "<news@list.example>", "BOSS@EXAMPLE.ORG",
        "=?utf-8?Q?J=C3=BCrgen?= <j@ü.example>",
        "carol+a+b@example.com (Carol)", "undisclosed-recipients:;", "\"quoted user\"@example.org",
    ]
    private static let subjects = [
        "=?utf-8?Q?Your_invoice_N=C2=B0_7?=", "=?iso-8859-1?Q?Gr=FC=DFe?= aus =?utf-8?B?S8O2bG4=?=",
        "folded\r\n subject line", "folded\r\n\twith tab", "  spaces around  ",
    ]
    private static let dates = [
        "Mon, 05 Jan 2026 10:00:00 +0000", "Tue, 30 Jun 2015 23:59:60 -0700", "1 Feb 2024 08:15 +0530",
        "Fri, 29 Feb 2008 00:00:01 GMT", "not a date", "Thu, 1 Jan 1970 00:00:00 +0000",
    ]

    /// With line ends as mail has them.
    static func made(_ seed: Int) -> String {
        var dice = Dice(seed + 1)
        var lines = ["Message-ID: <\(seed)@made.example>"]
        lines.append("From: \(dice.pick(people))")
        lines.append("To: \(dice.pick(people))\(dice.chance(40) ? ", \(dice.pick(people))" : "")")
        if dice.chance(40) { lines.append("Cc: \(dice.pick(people))") }
        if dice.chance(20) { lines.append("Sender: \(dice.pick(people))") }
        lines.append(
            "Subject: \(dice.chance(40) ? dice.pick(subjects) : dice.pick(words) + " " + dice.pick(words))")
        lines.append("Date: \(dice.pick(dates))")
        if dice.chance(30) { lines.append("List-Id: <\(dice.pick(["news", "swift", "dev"])).lists.example>") }
        for _ in 0..<dice.number(0...3) { lines.append("X-Count: \(dice.number(0...20))") }
        if dice.chance(30) { lines.append("X-Spam-Score: \(dice.pick(["5.2", "-1", "10", "abc", "0"]))") }
        for place in 0..<dice.number(0...2) {
            lines.append("Received: from a\(place).example by b\(place).example; \(dice.pick(dates))")
        }
        let kind = dice.number(1...6)
        lines += kind == 1 ? ["", text(&dice)] : ["MIME-Version: 1.0"] + part(kind, &dice, depth: 0)
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private static func text(_ dice: inout Dice) -> String {
        (0..<dice.number(1...6)).map { _ in
            "\(dice.pick(words)) \(dice.pick(["please pay", "secret", "viagra", "hello", "."]))"
        }
        .map { $0.hasPrefix("From ") ? ">" + $0 : $0 }.joined(separator: "\r\n")
    }

    private static func part(_ kind: Int, _ dice: inout Dice, depth: Int) -> [String] {
        switch kind {
        case 1, 2: return ["Content-Type: text/plain; charset=utf-8", "", text(&dice)]
        case 3:
            return [
                "Content-Type: text/html; charset=\"us-ascii\"", "",
                "<html><body><p>Hello <b>pay</b>ment</p><!-- hidden --></body></html>",
            ]
        case 4:
            let name = dice.pick(["a.pdf", "b.exe", "invoice.pdf", "notes.txt"])
            return [
                "Content-Type: application/\(dice.pick(["pdf", "octet-stream"])); name=\"\(name)\"",
                "Content-Disposition: attachment; filename=\"\(name)\"", "Content-Transfer-Encoding: base64",
                "",
                "c2VjcmV0IGNvbnRlbnQ=",
            ]
        case 5:
            return [
                "Content-Type: text/plain; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable",
                "",
                "Gr=FC=DFe, please =\r\npay", "the invoice",
            ]
        default:
            let boundary = "b\(depth)x\(dice.number(1...999))"
            var lines = [
                "Content-Type: multipart/\(dice.pick(["mixed", "alternative"])); boundary=\(boundary)", "",
            ]
            for _ in 0..<dice.number(1...3) {
                lines.append("--\(boundary)")
                lines += part(dice.number(2...(depth < 2 ? 6 : 5)), &dice, depth: depth + 1)
            }
            return lines + ["--\(boundary)--"]
        }
    }

    /// Real messages, where there are some on this machine.
    static func real() -> [[UInt8]] {
        // Beside the checkout, in which this file is four folders deep.
        let checkout = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()
        let beside = URL(filePath: String(checkout)).deletingLastPathComponent()
        let root = ProcessInfo.processInfo.environment["MAIL_CORPORA"] ?? "\(beside.path)/shared/corpora"
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }.sorted() ?? []
        return files.filter { $0.hasSuffix(".eml") || $0.hasPrefix("spamassassin/") || $0.hasSuffix(".msg") }
            .compactMap {
                guard let data = FileManager.default.contents(atPath: "\(root)/\($0)"), data.count < 100_000,
                    data.contains(UInt8(ascii: ":")), !data.contains(0),
                    // Dovecot finds no parts in this one. What is compared is how scripts see parts, not who finds them.
                    data.range(of: Data("multipart/alternative;;".utf8)) == nil
                else { return nil }
                return withLineEnds([UInt8](data))
            }
    }

    private static func withLineEnds(_ bytes: [UInt8]) -> [UInt8] {
        var whole: [UInt8] = []
        whole.reserveCapacity(bytes.count + bytes.count / 40)
        for byte in bytes {
            if byte == 0x0a, whole.last != 0x0d { whole.append(0x0d) }
            whole.append(byte)
        }
        return whole
    }
}
