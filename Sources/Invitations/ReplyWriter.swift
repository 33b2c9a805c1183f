import FoundationEssentials

/// Writes the answer to an invitation (RFC 5546, section 3.2.3).
package struct ReplyWriter {
    package var event: CalendarEvent
    package var attendee: CalendarPerson
    package var participation: Participation
    package var note: String
    package var stamp: Date

    package init(
        to event: CalendarEvent, from attendee: CalendarPerson, _ participation: Participation, note: String,
        at stamp: Date
    ) {
        self.event = event
        self.attendee = attendee
        self.participation = participation
        self.note = note
        self.stamp = stamp
    }

    /// The calendar, with the line ends of mail.
    package var calendar: String {
        var lines = [
            "BEGIN:VCALENDAR", "PRODID:-//mailkernel//EN", "VERSION:2.0", "METHOD:REPLY", "BEGIN:VEVENT",
            "UID:" + Self.escaped(event.uid),
        ]
        if let id = event.recurrenceID { lines.append("RECURRENCE-ID" + Self.value(of: id)) }
        lines.append("SEQUENCE:\(event.sequence)")
        lines.append("DTSTAMP:" + Self.utc(stamp))
        if let start = event.start { lines.append("DTSTART" + Self.value(of: start)) }
        if let end = event.end { lines.append("DTEND" + Self.value(of: end)) }
        if let organizer = event.organizer { lines.append("ORGANIZER" + Self.person(organizer)) }
        let status = ";PARTSTAT=" + participation.rawValue.uppercased()
        lines.append("ATTENDEE" + status + Self.person(attendee))
        if !event.title.isEmpty { lines.append("SUMMARY:" + Self.escaped(event.title)) }
        if !note.isEmpty { lines.append("COMMENT:" + Self.escaped(note)) }
        lines += ["END:VEVENT", "END:VCALENDAR"]
        return lines.map { Self.folded($0) + "\r\n" }.joined()
    }

    private static func person(_ person: CalendarPerson) -> String {
        // A quote cannot be part of a parameter.
        let name = String((person.name ?? "").filter { (one: Character) in one != "\"" && !one.isNewline })
        return (name.isEmpty ? "" : ";CN=\"\(name)\"") + ":mailto:" + person.email
    }

    /// In UTC, so that no zone has to be described.
    private static func value(of time: CalendarTime) -> String {
        if time.isDay { return ";VALUE=DATE:" + time.local.filter(\.isNumber) }
        if let date = time.date { return ":" + utc(date) }
        return ":" + digits(of: time.local)
    }

    private static func utc(_ date: Date) -> String {
        // As “2026-03-10T14:00:00Z” without its marks.
        digits(of: Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded()).formatted(.iso8601))
    }

    private static func digits(of text: String) -> String {
        text.replacing("-", with: "").replacing(":", with: "")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing(";", with: "\\;").replacing(",", with: "\\,")
            .replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\\n")
    }

    /// In lines of at most 75 bytes, none of which ends inside a character.
    private static func folded(_ line: String) -> String {
        var result = ""
        var width = 0
        for scalar in line.unicodeScalars {
            let size = String(scalar).utf8.count
            if width + size > 75 {
                result += "\r\n "
                width = 1
            }
            result.unicodeScalars.append(scalar)
            width += size
        }
        return result
    }
}
