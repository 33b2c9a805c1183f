import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private static let friends = [
        "Hannah Okafor", "Tom Bellamy", "Amélie Lefèvre", "Łukasz Śliwiński", "陈晓雨", "Oksana", "Priya Raman",
    ]

    /// What a network of friends and other services write by themselves.
    mutating func addNotices() {
        let circle = DemoContact("Circle", "notice@circle.example")
        for _ in 0..<46 {
            let who = random.pick(Self.friends)
            let (subject, words) = random.pick(
                [
                    ("\(who) commented on your photo", "“What a light! Where was this?”"),
                    (
                        "\(who) and \(random.number(2...9)) others like your post",
                        "Your post about the old crane."
                    ),
                    ("\(who) invited you to an event", "Open studio, Saturday from two to six."),
                    ("\(who) is new here", "You know each other. Say hello?"),
                    ("\(who) mentioned you", "“@mira would know the name of this bird.”"),
                    ("You have \(random.number(2...6)) new messages", "The latest is from \(who)."),
                ], or: ("A notice", ""))
            let date = date(daysAgo: randomDay())
            let html = """
                <html><body><table><tr><td>\
                <img src="https://static.circle.example/a/\(random.hexadecimal(6)).png" \
                width="48" height="48" alt=""></td><td><p><b>\(HTMLText.escaped(who))</b></p>\
                <p>\(HTMLText.escaped(words))</p>\
                <p><a href="https://circle.example/n/\(random.hexadecimal(8))">Open Circle</a></p>\
                </td></tr></table></body></html>\r

                """
            add(
                DemoLetter(
                    from: circle, to: [random.chance(25) ? Self.jonas : Self.mira], subject: subject,
                    date: date,
                    id: newID(circle),
                    headers: [("List-Unsubscribe", "<https://circle.example/settings/mail>")],
                    body: .multipart(
                        "alternative", [.text("\(words)\r\nhttps://circle.example\r\n"), .html(html)]),
                    place: random.chance(10) ? .trash : .inbox, labels: [["Social"]], keywords: keywords(date)
                ))
        }
        addSecurityNotices()
    }

    private mutating func addSecurityNotices() {
        let bank = DemoContact("Seabird Bank", "service@seabird-bank.example")
        let library = DemoContact("City Library", "library@city.example")
        let notices: [(DemoContact, String, String)] = [
            (
                bank, "Your statement is ready",
                "Your statement for last month is in your mailbox at the bank. We never send it by mail."
            ),
            (bank, "New sign-in from a browser on Linux", "Was this you? Then there is nothing to do."),
            (
                library, "Two books are due on Friday",
                "A Grammar of Tides\r\nSmall Gardens\r\n\r\nYou can renew both once."
            ),
            (
                library, "Your reservation is ready",
                "The Keeper's Logbook waits for you at the desk until Saturday."
            ),
            (
                DemoContact("Lantern Mobile", "security@lantern-mobile.example"), "Your code is 481 236",
                "It is valid for ten minutes. Nobody of ours will ever ask you for it."
            ),
        ]
        for (from, subject, words) in notices {
            let date = date(daysAgo: random.number(0...20))
            add(
                DemoLetter(
                    from: from, to: [Self.mira], subject: subject, date: date, id: newID(from),
                    body: .text(words + "\r\n"), keywords: keywords(date)))
        }
    }

    private static let junk: [(DemoContact, String, String)] = [
        (
            DemoContact("PRIZE DEPT", "winner@lucky-prize.invalid"), "You have WON 1.000.000 !!!",
            "Dear winner, send us your details and a small fee."
        ),
        (
            DemoContact("Dr. Miracle", "offer@miracle-pills.invalid"), "Lose 20 kg by Tuesday",
            "Doctors hate this. So do we."
        ),
        (
            DemoContact("Your Mailbox", "admin@mailbox-quota.invalid"), "Your mailbox is 99% full",
            "Click here to keep your messages: https://login.mailbox-quota.invalid/verify"
        ),
        (
            DemoContact("Prince Abebe", "prince@far-away.invalid"), "A confidential matter",
            "I have come into a great fortune and need your help."
        ),
        (
            DemoContact("Crypto Owl", "hoot@crypto-owl.invalid"), "Turn 100 into 10 000 while you sleep",
            "The owl knows."
        ),
        (
            DemoContact("Rеnate Vоgt", "renate.vogt@brightwater-mail.invalid"), "Are you at your desk?",
            "I need you to buy some gift cards, quickly and quietly."
        ),
        (
            DemoContact("Paket Zentrale", "zoll@paket-zentrale.invalid"), "Ihr Paket wartet beim Zoll",
            "Bitte zahlen Sie 1,99 € unter https://zoll.paket-zentrale.invalid"
        ),
    ]

    mutating func addJunk() {
        for (index, (from, subject, words)) in Self.junk.enumerated() {
            let date = date(daysAgo: random.number(0...28))
            var body = DemoPart.multipart(
                "alternative",
                [
                    .text(words + "\r\n"),
                    .html(
                        """
                        <html><body><h1 style="color:red">\(HTMLText.escaped(subject))</h1>\
                        <p>\(HTMLText.escaped(words))</p>\
                        <a href="https://track.lucky-prize.invalid/c">https://www.seabird-bank.example</a>\
                        </body></html>\r

                        """),
                ])
            if index.isMultiple(of: 2) {
                // What looks like a document and would be a program; this one is a sentence.
                let program = Data("This would be a program. It is a sentence.\r\n".utf8)
                body = .multipart(
                    "mixed", [body, .file("Invoice_0815.pdf.exe", "application/octet-stream", program)])
            }
            add(
                DemoLetter(
                    from: from, to: [index.isMultiple(of: 3) ? Self.jonas : Self.mira], subject: subject,
                    date: date,
                    id: newID(from), body: body, place: .junk, keywords: random.chance(30) ? [.seen] : []))
        }
    }
}
