import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private static let files = [
        "lake.png", "harbor.png", "Über den Dächern.png", "balcony.png", "hat.png", "garden.png",
    ]

    mutating func addPersonalMail() {
        for (number, language) in DemoLanguage.all.enumerated() {
            for (index, dialogue) in language.dialogues.enumerated() {
                let own = number < 2 && index % 3 == 1 ? Self.jonas : Self.mira
                // Some of the English and German ones are between the two of them.
                let isBetween = number < 2 && index % 3 == 2
                let other = isBetween ? Self.jonas : random.pick(language.contacts, or: Self.jonas)
                converse(language, dialogue, isBetween ? Self.mira : own, other)
            }
        }
    }

    /// One conversation, its messages some hours or days apart.
    private mutating func converse(
        _ language: DemoLanguage, _ dialogue: DemoDialogue, _ own: DemoContact, _ other: DemoContact
    ) {
        var date = date(daysAgo: randomDay() + dialogue.messages.count)
        var references: [String] = []
        var quoted: (who: DemoContact, text: [String])?
        let isOwnFirst = random.chance(40)
        let label =
            random.chance(25) ? [["Family"], ["Travel"], ["Travel", "Someday"]][random.number(0...2)] : []
        for (index, paragraphs) in dialogue.messages.enumerated() {
            let isOwn = index.isMultiple(of: 2) == isOwnFirst
            let (from, to) = isOwn ? (own, other) : (other, own)
            let id = newID(from)
            let text = letterText(language, paragraphs, from: from, to: to, quoting: index > 0 ? quoted : nil)
            var keywords = keywords(date)
            // What was answered was read.
            if index + 1 < dialogue.messages.count, !isOwn { keywords.formUnion([.seen, .answered]) }
            add(
                DemoLetter(
                    from: from, to: [to],
                    subject: (index == 0 ? "" : language.replyPrefix) + dialogue.subject, date: date, id: id,
                    references: references, body: personalBody(text, isFirst: index == 0),
                    labels: label.isEmpty ? [] : [label], keywords: keywords))
            references.append(id)
            quoted = (from, paragraphs)
            date += Double(random.number(20...60 * 30)) * 60
        }
    }

    private mutating func letterText(
        _ language: DemoLanguage, _ paragraphs: [String], from: DemoContact, to: DemoContact,
        quoting quoted: (who: DemoContact, text: [String])?
    ) -> [String] {
        let greeting = random.pick(language.greetings).split(separator: "%", omittingEmptySubsequences: false)
        var lines = [greeting.joined(separator: to.firstName), ""]
        for paragraph in paragraphs { lines += [paragraph, ""] }
        lines += [random.pick(language.closings), from.firstName]
        if let quoted, random.chance(70) {
            let said = language.attribution.split(separator: "%", omittingEmptySubsequences: false)
            lines += ["", said.joined(separator: quoted.who.name)]
            lines += quoted.text.flatMap { ["> " + $0, ">"] }.dropLast()
        }
        return lines
    }

    private mutating func personalBody(_ lines: [String], isFirst: Bool) -> DemoPart {
        let kind = random.number(0...9)
        let text: DemoPart
        switch kind {
        case 0...4: text = .text(FlowedText.text(lines), .eightBit, more: "; format=flowed")
        case 5...6: text = .text(lines.joined(separator: "\r\n") + "\r\n", .base64)
        case 7: text = .text(FlowedText.text(lines), more: "; format=flowed")
        default:
            let html = lines.map { $0.isEmpty ? "<br>" : "<div dir=\"auto\">\(HTMLText.escaped($0))</div>" }
            text = .multipart(
                "alternative",
                [
                    .text(lines.joined(separator: "\r\n") + "\r\n"),
                    .html("<html><body>\(html.joined(separator: "\r\n"))</body></html>\r\n"),
                ])
        }
        guard isFirst, random.chance(22) else { return text }
        let pictures = (0...random.number(0...1)).map { _ in
            DemoPart.file(
                random.pick(Self.files), "image/png", DemoFiles.png(width: 96, height: 64, &random))
        }
        return .multipart("mixed", [text] + pictures)
    }

    mutating func addDrafts() {
        let drafts: [(DemoContact, DemoContact, String, String)] = [
            (
                Self.mira, Self.jonas, "Ideas for the summer",
                "Three ideas, in no order:\r\n\r\n- the lake again\r\n- "
            ),
            (
                Self.mira, DemoContact("Hannah Okafor", "hannah@okafor.example"), "",
                "Hi Hannah,\r\n\r\nabout yesterday: "
            ),
            (
                Self.mira, DemoContact("Harbor Housing", "office@harbor-housing.example"),
                "The broken intercom",
                "Dear all,\r\n\r\nthe intercom has been silent since the storm. Could somebody\r\n"
            ),
            (Self.jonas, Self.mira, "Re: Keys", "They are in the drawer, the one that\r\n"),
        ]
        for (from, to, subject, text) in drafts {
            let date = now - Double(random.number(60...60 * 24 * 5)) * 60
            add(
                DemoLetter(
                    from: from, to: [to], subject: subject, date: date, id: newID(from), body: .text(text),
                    place: .drafts))
        }
    }
}

/// Text whose lines the reader may wrap differently (RFC 3676).
enum FlowedText {
    private static let width = 72

    static func text(_ lines: [String]) -> String {
        lines.map(flowed).joined(separator: "\r\n") + "\r\n"
    }

    private static func flowed(_ line: String) -> String {
        let isQuoted = line.hasPrefix(">")
        let mark = isQuoted ? "> " : ""
        var rows: [String] = []
        var row = ""
        for word in (isQuoted ? String(line.dropFirst().drop { $0 == " " }) : line).split(separator: " ") {
            if !row.isEmpty, row.count + word.count > width {
                rows.append(row + " ")
                row = ""
            }
            row += (row.isEmpty ? "" : " ") + word
        }
        rows.append(row)
        // A line that begins with a space or like a separator gets one more in front.
        return rows.map { row in
            mark
                + (!isQuoted && (row.hasPrefix(" ") || row.hasPrefix("From ") || row.hasPrefix(">"))
                    ? " " + row : row)
        }
        .joined(separator: "\r\n")
    }
}

enum HTMLText {
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
