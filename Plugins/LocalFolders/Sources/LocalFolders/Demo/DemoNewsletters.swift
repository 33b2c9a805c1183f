import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private struct Newsletter {
        let name: String
        let host: String
        let color: String
        let subjects: [String]
        let articles: [DemoDialogue]
    }

    private static let newsletters = [
        Newsletter(
            name: "The Harbor Letter", host: "harbor-letter.example", color: "#1b5e7a",
            subjects: [
                "Cranes, cargo and a quiet Sunday", "What the dredgers found", "A night with the pilots",
                "Eleven ways to tie a boat", "The lighthouse has a new keeper",
            ],
            articles: DemoDialogue.read(
                """
                # The pilots' longest night
                Fog, forty ships and one very patient dispatcher. We spent twelve hours in the tower and
                  came back with cold tea and a good story.
                # A map of smells
                From tar to coffee: our readers sent 214 notes on what the quays smell like. We drew the
                  map.
                # Why the bridge sings
                Above force seven the old bridge hums a low G. An engineer explains, a musician disagrees.
                # Ten minutes with the ferry's cook
                She makes 300 fish sandwiches before nine. The secret is the dill, and not talking about
                  the dill.
                # Found in the mud
                A teapot, two anchors and a letter from 1911: what the dredgers brought up this month.
                """)),
        Newsletter(
            name: "Slow Kitchen", host: "slowkitchen.example", color: "#8a3b12",
            subjects: [
                "Beans, but make them interesting", "Five soups for five gray days",
                "The case for stale bread",
                "Your lemons are about to matter",
            ],
            articles: DemoDialogue.read(
                """
                # White beans with burnt lemon
                Two hours of almost nothing to do. The lemon goes in twice, once for the smoke and once
                  for the light.
                # In praise of the heavy pan
                It costs more, it weighs more and you will leave it to somebody in your will.
                # Bread soup, three ways
                Tuscan, Portuguese, and the one that my neighbor makes when nobody looks.
                # What to do with one leek
                Quite a lot, as it turns out, provided that you have butter and half an hour.
                """)),
        Newsletter(
            name: "Northlight Weekly", host: "northlight.example", color: "#3d2f6b",
            subjects: [
                "This week in small science", "Moss, magnets and a very old jawbone", "How fish keep time",
                "The comet that came back",
            ],
            articles: DemoDialogue.read(
                """
                # How fish keep time
                A clock without daylight: cave fish have one after all, it just runs on dinner.
                # A quieter wind turbine
                Borrowing the edge of an owl's wing takes off three decibels, a team in the north reports.
                # The oldest library stamp
                Under ultraviolet light the monks' handwriting turned out to be a complaint about noise.
                # Moss does not wait
                After eleven years in a drawer it was green again within a day. The drawer's owner is
                  still surprised.
                """)),
    ]

    mutating func addNewsletters() {
        for newsletter in Self.newsletters {
            for week in 0..<Self.weeks {
                for person in Self.people where person == Self.mira || newsletter.color == "#1b5e7a" {
                    addIssue(of: newsletter, week, to: person)
                }
            }
        }
    }

    private mutating func addIssue(of newsletter: Newsletter, _ week: Int, to person: DemoContact) {
        let from = DemoContact(newsletter.name, "hello@\(newsletter.host)")
        let date = date(daysAgo: week * 7 + 2)
        let subject = newsletter.subjects[week % newsletter.subjects.count]
        let articles = Array(random.shuffled(newsletter.articles).prefix(3))
        let logo = "logo.\(random.hexadecimal(8))@\(newsletter.host)"
        let text = articles.map { "\($0.subject)\r\n\($0.text)\r\n" }.joined(separator: "\r\n")
        let html = page(newsletter, subject, articles, logo: logo)
        add(
            DemoLetter(
                from: from, to: [person], subject: subject, date: date, id: newID(from),
                headers: [
                    ("List-Id", "<weekly.\(newsletter.host)>"),
                    (
                        "List-Unsubscribe",
                        "<https://\(newsletter.host)/unsubscribe?u=\(random.hexadecimal(12))>"
                    ),
                    ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
                ],
                body: .multipart(
                    "alternative",
                    [
                        .text(
                            "\(newsletter.name)\r\n\r\n\(text)\r\n"
                                + "Unsubscribe: https://\(newsletter.host)/unsubscribe\r\n"
                        ),
                        .multipart(
                            "related",
                            [.html(html), .inlineImage(logo, DemoFiles.png(width: 64, height: 32, &random))]),
                    ]),
                place: week > 4 && random.chance(40) ? .trash : .inbox, labels: [["Newsletters"]],
                keywords: keywords(date)))
    }

    private mutating func page(
        _ newsletter: Newsletter, _ subject: String, _ articles: [DemoDialogue], logo: String
    ) -> String {
        let host = newsletter.host
        let rows = articles.map { article in
            """
            <tr><td class="story" style="padding:16px 24px;border-bottom:1px solid #e4e0d8">\r
            <h2 style="margin:0 0 6px;font-size:20px;color:\(newsletter.color)">\
            \(HTMLText.escaped(article.subject))</h2>\r
            <p style="margin:0;line-height:1.5">\(HTMLText.escaped(article.text))</p>\r
            <p><a href="https://\(host)/read/\(random.hexadecimal(6))" \
            style="color:\(newsletter.color)">Read on</a></p>\r
            </td></tr>\r

            """
        }
        return """
            <!DOCTYPE html>\r
            <html lang="en"><head><meta charset="utf-8"><title>\(HTMLText.escaped(subject))</title>\r
            <style>body{margin:0;background:#f4f1ea;font-family:Georgia,serif}\
            @media(max-width:600px){.story{padding:12px!important}}</style></head>\r
            <body><table role="presentation" width="100%" cellpadding="0" cellspacing="0">\
            <tr><td align="center">\r
            <table role="presentation" width="600" style="background:#fff;max-width:600px">\r
            <tr><td style="background:\(newsletter.color);color:#fff;padding:20px 24px">\
            <img src="cid:\(logo)" width="64" height="32" alt="\(HTMLText.escaped(newsletter.name))"> \
            <strong>\(HTMLText.escaped(newsletter.name))</strong></td></tr>\r
            <tr><td>\
            <img src="https://images.\(host)/header-\(random.hexadecimal(4)).jpg" width="600" height="200" \
            alt="\(HTMLText.escaped(subject))"></td></tr>\r
            \(rows.joined())\
            <tr><td style="padding:16px 24px;color:#777;font-size:12px">\
            You get this because you asked for it. \
            <a href="https://\(host)/unsubscribe">Unsubscribe</a></td></tr>\r
            </table></td></tr></table>\r
            <img src="https://track.\(host)/open/\(random.hexadecimal(16)).gif" width="1" height="1" alt="">\r
            </body></html>\r

            """
    }
}
