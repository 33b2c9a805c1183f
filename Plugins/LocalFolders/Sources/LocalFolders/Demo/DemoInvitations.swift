import FoundationEssentials
import MailKernelAPI

extension DemoWorld {
    private static let events: [(title: String, place: String, words: String)] = [
        ("Riverwatch: fortnightly call", "Room Heron, or by phone", "Same as always, half an hour."),
        ("Dinner at Hannah's", "14 Mill Lane", "Bring nothing but an appetite."),
        ("Dentist", "Dr. Aylin Kaya, 2nd floor", "Please come five minutes early."),
        ("Zahlen besprechen", "Raum Amsel", "Bitte die Tabelle mitbringen."),
        ("Choir: dress rehearsal", "St. Nicholas, north door", "Black or blue, we will see."),
        ("Parents' evening", "School library", "Chairs are small, as every year."),
        ("Workshop: moss and city", "Northlab, lecture hall B", "Programme in the attachment."),
        ("Walk and talk", "Meeting at the old crane", "Only if it doesn't rain."),
    ]

    mutating func addInvitations() {
        for (index, event) in Self.events.enumerated() {
            let organizer =
                index.isMultiple(of: 2) ? Self.jonas : DemoContact("Hannah Okafor", "hannah@okafor.example")
            let guest = Self.mira
            let sent = date(daysAgo: random.number(1...25))
            // Some are over, some are still to come.
            let start = sent + Double(random.number(2...40)) * 86_400
            let uid = "\(random.hexadecimal(12))@demo.example"
            let id = newID(organizer)
            add(invitation(event, "REQUEST", organizer, guest, sent, start, uid: uid, id: id))
            if index % 4 == 1 {
                let moved = start + 3_600
                let update = newID(organizer)
                add(
                    invitation(
                        event, "REQUEST", organizer, guest, sent + 86_400, moved, uid: uid, id: update,
                        prefix: "Updated: ", references: [id], sequence: 1))
            } else if index % 4 == 3 {
                let end = newID(organizer)
                add(
                    invitation(
                        event, "CANCEL", organizer, guest, sent + 86_400 * 1.5, start, uid: uid, id: end,
                        prefix: "Cancelled: ", references: [id], sequence: 1))
            } else if index % 4 == 0 {
                add(
                    invitation(
                        event, "REPLY", guest, organizer, sent + 7_200, start, uid: uid, id: newID(guest),
                        prefix: "Accepted: ", references: [id]))
            }
        }
    }

    private func invitation(
        _ event: (title: String, place: String, words: String), _ method: String, _ from: DemoContact,
        _ to: DemoContact, _ date: Date, _ start: Date, uid: String, id: String, prefix: String = "",
        references: [String] = [], sequence: Int = 0
    ) -> DemoLetter {
        let (organizer, guest) = method == "REPLY" ? (to, from) : (from, to)
        let answer = method == "REPLY" ? "ACCEPTED" : "NEEDS-ACTION"
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Demo//Demo calendar//EN", "METHOD:\(method)",
            "BEGIN:VEVENT", "UID:\(uid)", "SEQUENCE:\(sequence)", "DTSTAMP:\(Self.calendarDate(date))",
            "DTSTART:\(Self.calendarDate(start))", "DTEND:\(Self.calendarDate(start + 3_600))",
            "SUMMARY:\(event.title)", "LOCATION:\(event.place.replacing(",", with: "\\,"))",
            "ORGANIZER;CN=\(organizer.name):mailto:\(organizer.address)",
            "ATTENDEE;CN=\(guest.name);PARTSTAT=\(answer):mailto:\(guest.address)",
            "STATUS:\(method == "CANCEL" ? "CANCELLED" : "CONFIRMED")", "END:VEVENT", "END:VCALENDAR", "",
        ]
        let calendar = lines.joined(separator: "\r\n")
        let text = """
            \(event.title)\r
            When: \(MailDate.text(start).dropLast(9)) UTC\r
            Where: \(event.place)\r
            \r
            \(event.words)\r

            """
        let body = DemoPart.multipart(
            "mixed",
            [
                .multipart(
                    "alternative",
                    [
                        .text(text),
                        .leaf(
                            type: "text/calendar; charset=utf-8; method=\(method)", .quotedPrintable,
                            headers: [],
                            Data(calendar.utf8)),
                    ]), .file("invite.ics", "application/ics", Data(calendar.utf8)),
            ])
        return DemoLetter(
            from: from, to: [to], subject: prefix + event.title, date: date, id: id, references: references,
            body: body, labels: [], keywords: now.timeIntervalSince(date) < 86_400 * 2 ? [] : [.seen])
    }

    private static func calendarDate(_ date: Date) -> String {
        let parts = MailDate.Parts(date)
        let (month, day) = (MailDate.two(parts.month), MailDate.two(parts.day))
        return "\(parts.year)\(month)\(day)T\(MailDate.two(parts.hour))\(MailDate.two(parts.minute))00Z"
    }
}
