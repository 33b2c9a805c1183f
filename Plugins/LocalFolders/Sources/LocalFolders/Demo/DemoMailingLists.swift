import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private struct List {
        let name: String
        let title: String
        let host: String
        let members: [DemoContact]
        let threads: [DemoDialogue]
    }

    private static let lists = [
        List(
            name: "tidewater-dev", title: "Development of Tidewater", host: "lists.tidewater.example",
            members: [
                DemoContact("Ada Winterbourne", "ada@winterbourne.example"),
                DemoContact("Kofi Mensah", "kofi@mensah.example"), DemoContact("yuki", "yuki@kumo.example"),
                DemoContact("Björn Åkesson", "bjorn@akesson.example"),
            ],
            threads: DemoDialogue.read(
                """
                # Release candidate 2 of 4.1
                RC2 is up. The only change since RC1 is the fix for tide tables in the southern
                  hemisphere, which were upside down. | Please test, in particular on big-endian machines.
                  If nothing comes up I'll tag the release on Sunday.
                Works here on three machines, one of them older than our intern.
                The manual page still says 4.0 in the footer. Patch follows.
                Applied, thanks. Tagging on Sunday as planned.
                # [PATCH] harmonics: avoid allocating in the inner loop
                This makes the prediction of a year about four times faster. | @@ -41,4 +41,3 @@ predict() ¶
                  -double *terms = malloc(n * sizeof *terms); ¶ +double terms[MAX_TERMS];
                Nice. Is MAX_TERMS large enough for the Bay of Fundy? It was the one that broke us last
                  time.
                It is: 149 constituents, the limit is 256. I've added an assertion.
                # Tide stations without a license
                Eleven of the stations in our data set come without a statement of their license. I'd
                  rather leave them out than guess.
                Agreed. Seven of them have a newer source that is in the public domain, I can convert
                  these.
                +1 for leaving out the rest.
                # Meeting in spring
                Shall we meet again? There is a house near the estuary that fits fourteen people and a
                  whiteboard.
                I'd come. As long as nobody plans a boat trip at six in the morning again.
                The boat trip was the best part!
                """)),
        List(
            name: "lindenhof", title: "Nachbarschaft Lindenhof", host: "listen.lindenhof.example",
            members: [
                DemoContact("Frau Özdemir", "oezdemir@lindenhof.example"),
                DemoContact("Henning Wolters", "wolters@lindenhof.example"),
                DemoContact("WG im dritten Stock", "dritter-stock@lindenhof.example"),
            ],
            threads: DemoDialogue.read(
                """
                # Hoffest am Samstag
                Liebe Nachbarinnen und Nachbarn, | am Samstag ab 15 Uhr ist Hoffest. Bänke stellt der
                  Verein, Kuchen und Salate bringen wir alle mit. Wer kann beim Aufbau helfen?
                Wir helfen ab 13 Uhr und bringen die Lichterketten mit.
                Ich backe zwei Bleche Zwetschgenkuchen. Bitte keine Wespen einladen.
                # Fahrrad gefunden
                Seit Montag steht ein blaues Damenrad ohne Schloss im Durchgang. Wem gehört es?
                Das ist meins, ich hatte es schon aufgegeben. Vielen Dank!
                # Wasser abgestellt am 12. von 8 bis 11 Uhr
                Wegen einer Reparatur im Keller wird das Wasser abgestellt. Bitte vorher Kaffee kochen.
                """)),
        List(
            name: "choir-alto", title: "Altos of the Harbor Choir", host: "lists.harborchoir.example",
            members: [
                DemoContact("Beatrix Loveday", "beatrix@loveday.example"),
                DemoContact("Sunniva Dahl", "sunniva@dahl.example"),
            ],
            threads: DemoDialogue.read(
                """
                # Bars 44 to 60
                Dear altos, | we drag in bars 44 to 60. Please look at them before Tuesday, slowly, with a
                  metronome, and with a friend if you have one.
                I have neither a metronome nor a friend at that hour, but I do have a dishwasher with a
                  very steady beat.
                # Black or dark blue?
                For the concert: black or dark blue? The basses have voted for black, so I'm inclined to
                  vote for blue.
                Blue!
                Blue, and let's not tell the basses.
                """)),
    ]

    mutating func addMailingLists() {
        for list in Self.lists {
            for thread in list.threads { discuss(list, thread) }
        }
    }

    private mutating func discuss(_ list: List, _ thread: DemoDialogue) {
        let address = DemoContact(list.title, "\(list.name)@\(list.host)")
        var date = date(daysAgo: randomDay() + 2)
        var references: [String] = []
        for (index, message) in thread.messages.enumerated() {
            let from = random.pick(list.members, or: address)
            let id = newID(from)
            let text = message.joined(separator: "\r\n\r\n")
            let footer =
                "\r\n_______________________________________________\r\n\(list.title)\r\n"
                + "https://\(list.host)/\(list.name)\r\n"
            add(
                DemoLetter(
                    from: from, to: [address],
                    subject: "\(index == 0 ? "" : "Re: ")[\(list.name)] \(thread.subject)", date: date,
                    id: id,
                    references: references, headers: headers(of: list),
                    body: .text(text + "\r\n\r\n" + from.firstName + "\r\n" + footer, .eightBit),
                    labels: [["Lists", list.name]], keywords: keywords(date),
                    alsoFor: list.name == "tidewater-dev" ? [Self.mira, Self.jonas] : [Self.mira]))
            references.append(id)
            date += Double(random.number(15...60 * 18)) * 60
        }
    }

    private func headers(of list: List) -> [(String, String)] {
        [
            ("List-Id", "\"\(list.title)\" <\(list.name).\(list.host)>"),
            ("List-Post", "<mailto:\(list.name)@\(list.host)>"),
            (
                "List-Unsubscribe",
                "<https://\(list.host)/\(list.name)/leave>, <mailto:\(list.name)-leave@\(list.host)>"
            ),
            ("List-Archive", "<https://\(list.host)/\(list.name)/archive>"), ("Precedence", "list"),
        ]
    }
}
