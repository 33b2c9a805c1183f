import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private static let colleagues = [
        DemoContact("Renate Vogt", "renate.vogt@brightwater.example"),
        DemoContact("Oluwaseun Adeyemi", "seun.adeyemi@brightwater.example"),
        DemoContact("Marguerite Dubois", "m.dubois@brightwater.example"),
        DemoContact("Piotr Zieliński", "piotr.zielinski@brightwater.example"),
        DemoContact("Dr. Ingrid Solheim", "i.solheim@northlab.example"),
    ]

    /// What a project is about, and what is said of it in turn; `%` is the project.
    private static let threads = DemoDialogue.read(
        """
        # % – figures for the third quarter
        Hi all, | the figures for % are in the attached table. Two things stand out: travel is well below
          plan, and printing is not. | Could you check your own rows by Thursday?
        Mine are fine. The printing is the second edition of the handbook, which was approved in May but
          booked in July.
        Thanks, that explains it. I'll add a note so that nobody asks again next month.
        # %: minutes of Tuesday's meeting
        Dear all, | here is what we agreed on: | 1. The pilot for % starts on the first of next month with
          two schools. ¶ 2. Seun looks after the sensors, Marguerite after the contracts. ¶ 3. We meet every
          second Tuesday, half an hour, standing. | Please shout if I got anything wrong.
        One small correction: it's three schools, the third one confirmed this morning.
        # Draft of the % proposal
        I've put the draft together, see the attachment. Section 4 is still thin, and I'm not happy with
          the title. | Comments by Friday would be lovely, by Thursday would be better.
        Read it on the train. Section 4 needs the example with the two rivers, it's the one everybody
          remembers. The title is fine, honestly.
        Agreed on the rivers. I'd cut the second page of the introduction, it says what the first one
          said.
        Both done. Sending it tomorrow at noon unless somebody stops me.
        Nobody is going to stop you. Good work!
        # Can we move the % call?
        I'm on a train without reception at three. Would half past four work for the % call?
        Half past four works for me. I've told the others.
        # %: site visit
        The visit for % is on the 14th. We meet at the gate at nine, boots are required, helmets are
          there. | The caretaker is called Mr. Hartmann and likes to be phoned the day before.
        I'll phone him. Is there parking, or should we come by bus?
        Bus 27 stops right in front. Parking is “behind the large heap”, I quote.
        # Welcome to the % team
        We are happy that we are one more from next week on. She comes from hydrology, plays the accordion
          and has promised to do only one of them at work. | Please say hello on Monday at ten in the
          kitchen, there will be cake.
        Looking forward to it! I'll bring the second cake.
        # Question about invoice handling for %
        Accounting wants a cost center on every invoice for % from now on. Which one do we use for the
          field work?
        4410 for travel, 4420 for equipment. Everything else goes to 4400 and then somebody calls you.
        """)

    private static let projects = ["Riverwatch", "Blue Roof", "Lantern", "Schoolyard", "Delta"]

    mutating func addWorkMail() {
        for project in Self.projects {
            for thread in random.shuffled(Self.threads).prefix(6) { discuss(project, thread) }
        }
        addOutOfOffice()
    }

    private mutating func discuss(_ project: String, _ thread: DemoDialogue) {
        let subject = thread.subject.replacing("%", with: project)
        let team = Array(random.shuffled(Self.colleagues).prefix(2)) + [Self.mira, Self.jonas]
        let speakers = random.shuffled(team)
        var date = date(daysAgo: randomDay() + 1)
        var references: [String] = []
        for (index, message) in thread.messages.enumerated() {
            let from = speakers[index % speakers.count]
            let id = newID(from)
            let paragraphs = message.map { $0.replacing("%", with: project) }
            let signature =
                "\r\n-- \r\n\(from.name)\r\nBrightwater Institute · Quay 7 · www.brightwater.example\r\n"
            let text =
                paragraphs.joined(separator: "\r\n\r\n") + "\r\n\r\n" + from.firstName + "\r\n" + signature
            let others = team.filter { $0 != from }
            add(
                DemoLetter(
                    from: from, to: [others[0]], cc: Array(others.dropFirst()),
                    subject: index == 0 ? subject : "Re: \(subject)", date: date, id: id,
                    references: references,
                    body: index == 0 ? withFiles(text, subject, project) : .text(text),
                    labels: [["Work", project]], keywords: keywords(date)))
            references.append(id)
            date += Double(random.number(10...60 * 20)) * 60
        }
    }

    private mutating func withFiles(_ text: String, _ subject: String, _ project: String) -> DemoPart {
        let name = project.lowercased().replacing(" ", with: "-")
        if subject.contains("figures") {
            var table = "month,plan,actual\r\n"
            for month in ["July", "August", "September"] {
                table += "\(month),\(random.number(40...90) * 100),\(random.number(30...95) * 100)\r\n"
            }
            return .multipart(
                "mixed", [.text(text), .file("\(name)-q3.csv", "text/csv; charset=utf-8", Data(table.utf8))])
        }
        if subject.hasPrefix("Draft") {
            let lines = ["1. Where we stand", "2. What we propose", "3. What it costs", "4. An example"]
            let pdf = DemoFiles.pdf(title: "\(project): a proposal", lines: lines)
            return .multipart("mixed", [.text(text), .file("\(name)-draft-3.pdf", "application/pdf", pdf)])
        }
        if subject.contains("site visit") {
            let files = [
                (name: "map.png", bytes: DemoFiles.png(width: 96, height: 64, &random)),
                (
                    name: "directions.txt",
                    bytes: Data("Bus 27 to the gate, then follow the yellow arrows.\r\n".utf8)
                ),
            ]
            return .multipart(
                "mixed", [.text(text), .file("\(name)-visit.zip", "application/zip", DemoFiles.zip(files))])
        }
        return .text(text)
    }

    private mutating func addOutOfOffice() {
        for colleague in Self.colleagues.prefix(2) {
            let date = date(daysAgo: random.number(3...20))
            add(
                DemoLetter(
                    from: colleague, to: [Self.mira], subject: "Out of office: \(colleague.name)", date: date,
                    id: newID(colleague), headers: [("Auto-Submitted", "auto-replied")],
                    body: .text(
                        "Thank you for your message. I'm away until Monday and will answer then.\r\n"
                            + "In urgent cases please write to office@brightwater.example.\r\n"),
                    keywords: [.seen]))
        }
    }
}
