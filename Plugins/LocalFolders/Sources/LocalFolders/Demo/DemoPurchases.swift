import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private static let shops: [(name: String, host: String, goods: [String])] = [
        (
            "Paper & Twine", "paperandtwine.example",
            ["Notebook, dotted, A5", "Ink, sea green", "Envelopes, 50 pieces", "Twine, red and white, 20 m"]
        ),
        (
            "Bergrad", "bergrad.example",
            ["Fahrradkette", "Lenkerband, braun", "Flickzeug", "Klingel, Messing"]
        ),
        (
            "Oat & Anchor Coffee", "oatandanchor.example",
            ["House roast, 1 kg", "Filter papers No. 4", "Decaf, 500 g"]
        ),
        (
            "The Second Shelf Books", "secondshelf.example",
            ["A Grammar of Tides", "The Keeper's Logbook", "Small Gardens"]
        ),
    ]
    private static let carriers = [
        ("Pelican Parcels", "track.pelican-parcels.example"), ("Kurierdienst Möwe", "moewe.example"),
    ]

    mutating func addPurchases() {
        for order in 0..<20 {
            let shop = random.pick(Self.shops, or: ("Shop", "shop.example", []))
            let buyer = order.isMultiple(of: 4) ? Self.jonas : Self.mira
            let date = date(daysAgo: randomDay() + 1)
            let number = "\(random.number(100_000...999_999))"
            let confirmation = receipt(shop, number, buyer, date)
            add(confirmation)
            addParcel(shop.name, number, buyer, date + Double(random.number(20...50)) * 3_600)
        }
        addBills()
    }

    private mutating func receipt(
        _ shop: (name: String, host: String, goods: [String]), _ number: String, _ buyer: DemoContact,
        _ date: Date
    ) -> DemoLetter {
        let from = DemoContact(shop.name, "orders@\(shop.host)")
        var total = 0
        var rows = ""
        var lines: [String] = []
        for item in random.shuffled(shop.goods).prefix(random.number(1...3)) {
            let cents = random.number(350...4_900)
            total += cents
            lines.append("\(item): \(Self.money(cents))")
            rows += Self.row(HTMLText.escaped(item), cents)
        }
        lines.append("Total: \(Self.money(total))")
        let html = """
            <html><body style="font-family:sans-serif">\
            <h1 style="font-size:18px">Thank you, \(buyer.firstName)</h1>\r
            <p>Your order <b>\(number)</b> has arrived here and is being packed.</p>\r
            <table>\r
            \(rows)\(Self.row("<b>Total</b>", total))</table>\r
            <p><a href="https://\(shop.host)/orders/\(number)">See the order</a></p></body></html>\r

            """
        let pdf = DemoFiles.pdf(title: "\(shop.name): receipt \(number)", lines: lines)
        return DemoLetter(
            from: from, to: [buyer], subject: "Your order \(number)", date: date, id: newID(from),
            body: .multipart(
                "mixed",
                [
                    .multipart(
                        "alternative", [.text(lines.joined(separator: "\r\n") + "\r\n"), .html(html)]),
                    .file("receipt-\(number).pdf", "application/pdf", pdf),
                ]), labels: [["Receipts"]], keywords: keywords(date))
    }

    private static func row(_ what: String, _ cents: Int) -> String {
        "<tr><td style=\"padding:4px 12px\">\(what)</td><td align=\"right\">\(money(cents))</td></tr>\r\n"
    }

    /// On its way, and delivered: two notes of one carrier about one parcel.
    private mutating func addParcel(_ shop: String, _ number: String, _ buyer: DemoContact, _ date: Date) {
        let (name, host) = random.pick(Self.carriers, or: ("Carrier", "carrier.example"))
        let from = DemoContact(name, "no-reply@\(host)")
        let code = "\(random.hexadecimal(10).uppercased())"
        let steps = [
            (
                "Your parcel from \(shop) is on its way",
                "It left our depot this morning and should be with you tomorrow."
            ),
            ("Delivered: your parcel from \(shop)", "It was handed over at the door. Have a nice day."),
        ]
        for (step, (subject, words)) in steps.enumerated() {
            let time = date + Double(step) * 86_400
            add(
                DemoLetter(
                    from: from, to: [buyer], subject: subject, date: time, id: newID(from),
                    body: .multipart(
                        "alternative",
                        [
                            .text(
                                "\(words)\r\n\r\nOrder \(number), parcel \(code)\r\n"
                                    + "https://\(host)/\(code)\r\n"
                            ),
                            .html(
                                "<html><body><p>\(words)</p><p>Order \(number), parcel "
                                    + "<a href=\"https://\(host)/\(code)\">\(code)</a></p></body></html>\r\n"),
                        ]), place: random.chance(20) ? .trash : .inbox, labels: [["Receipts"]],
                    keywords: keywords(time)))
        }
    }

    private mutating func addBills() {
        let senders = [
            DemoContact("Stadtwerke Küstenstadt", "rechnung@stadtwerke.example"),
            DemoContact("Lantern Mobile", "billing@lantern-mobile.example"),
        ]
        for month in 0..<2 {
            for sender in senders {
                let date = date(daysAgo: month * 30 + random.number(1...9))
                let amount = Self.money(random.number(1_500...7_900))
                let pdf = DemoFiles.pdf(title: sender.name, lines: ["Amount: \(amount)", "Due in 14 days"])
                add(
                    DemoLetter(
                        from: sender, to: [Self.mira], subject: "Your bill: \(amount)", date: date,
                        id: newID(sender),
                        body: .multipart(
                            "mixed",
                            [
                                .text("Your bill of \(amount) is attached. It is due in 14 days.\r\n"),
                                .file("Rechnung für Mira.pdf", "application/pdf", pdf),
                            ]), labels: [["Receipts"]], keywords: keywords(date)))
            }
        }
    }

    private static func money(_ cents: Int) -> String { "€ \(cents / 100).\(MailDate.two(cents % 100))" }
}
