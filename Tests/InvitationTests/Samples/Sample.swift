import Foundation

@testable import Invitations

/// A calendar in the manner of some program, and how it reads on March 1, 2026.
struct Sample: Sendable {
    static let now = Date(timeIntervalSince1970: 1_772_355_600)
    static let all = google + exchange + apple + services + series + zones + broken

    let name: String
    /// Lines, which end as they do in mail.
    let calendar: Data
    /// As the part's type has it.
    var method: String?
    /// Empty for one that is no invitation.
    let reading: String

    init(_ name: String, _ calendar: String, method: String? = nil, reads reading: String) {
        self.init(
            name, bytes: Data(calendar.replacing("\n", with: "\r\n").utf8), method: method, reads: reading)
    }

    init(_ name: String, bytes: Data, method: String? = nil, reads reading: String) {
        (self.name, calendar, self.method, self.reading) = (name, bytes, method, reading)
    }

    var testDescription: String { name }

    var invitation: Invitation? { InvitationReader.read(calendar, method: method, now: Self.now) }
}

/// Writes calendars as programs do.
enum Made {
    static let me =
        "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=Ada Byron:mailto:ada@example.org"
    static let grace = "ORGANIZER;CN=Grace Hopper:mailto:grace@example.com"
    static let utc = ["DTSTART:20260310T130000Z", "DTEND:20260310T140000Z"]

    static func calendar(
        method: String? = "REQUEST", by program: String = "-//Example//EN", zones: [String] = [],
        _ events: String...
    ) -> String {
        "BEGIN:VCALENDAR\nPRODID:\(program)\nVERSION:2.0\n" + (method.map { "METHOD:\($0)\n" } ?? "")
            + (zones + events).joined() + "END:VCALENDAR\n"
    }

    static func event(
        _ uid: String, _ title: String, at time: [String] = utc, people: [String] = [grace, me],
        _ more: [String] = []
    ) -> String {
        let lines = ["UID:\(uid)", "DTSTAMP:20260301T090000Z", "SUMMARY:\(title)"] + time + people + more
        return "BEGIN:VEVENT\n" + lines.map { $0 + "\n" }.joined() + "END:VEVENT\n"
    }

    /// A zone with summer time, by the rules of a year that never was, as Exchange writes them.
    static func zone(
        _ id: String, standard: String = "+0100", summer: String = "+0200", begins: String = "-1SU;BYMONTH=3",
        ends: String = "-1SU;BYMONTH=10", _ more: String = ""
    ) -> String {
        """
        BEGIN:VTIMEZONE
        TZID:\(id)
        \(more.isEmpty ? "" : more + "\n")BEGIN:STANDARD
        DTSTART:16010101T030000
        TZOFFSETFROM:\(summer)
        TZOFFSETTO:\(standard)
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=\(ends)
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:16010101T020000
        TZOFFSETFROM:\(standard)
        TZOFFSETTO:\(summer)
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=\(begins)
        END:DAYLIGHT
        END:VTIMEZONE

        """
    }

    static func times(_ zone: String, _ start: String, _ end: String) -> [String] {
        ["DTSTART;TZID=\(zone):\(start)", "DTEND;TZID=\(zone):\(end)"]
    }
}

extension Invitation {
    /// What was read, in a few lines.
    var reading: String {
        var lines = ["\(method.rawValue) \(event.uid) \(event.sequence): \(event.title)"]
        lines += event.lines
        for exception in exceptions {
            lines.append(
                "but \(exception.recurrenceID?.shown ?? "?"): " + exception.lines.joined(separator: " / "))
        }
        if otherCount > 0 { lines.append("and \(otherCount) other") }
        if isCut { lines.append("and more") }
        return lines.joined(separator: "\n")
    }
}

extension CalendarEvent {
    fileprivate var lines: [String] {
        var lines = ["\(start?.shown ?? "?") to \(end?.shown ?? "?")"]
        if let recurrenceID { lines.append("instead of \(recurrenceID.shown)") }
        if let status, status != .confirmed { lines.append(status.rawValue) }
        if !place.isEmpty { lines.append("at " + place.replacing("\n", with: "|")) }
        if !comment.isEmpty { lines.append("says " + comment) }
        if let organizer { lines.append("by " + organizer.shown) }
        if !attendees.isEmpty { lines.append("with " + attendees.map(\.shown).joined(separator: ", ")) }
        if let recurrence {
            lines.append(recurrence.words)
            let next = recurrence.next.map { $0.start.shown + ($0.isException ? "!" : "") }
            lines.append(recurrence.isListed ? "next " + next.joined(separator: ", ") : "not listed")
        }
        return lines
    }
}

extension CalendarTime {
    /// `2026-03-10T13:00Z (14:00 Europe/Berlin)`
    var shown: String {
        guard let date else {
            return isDay ? local : String(local.dropLast(3)) + " in " + (zoneName ?? "any zone")
        }
        let utc = date.formatted(.iso8601).replacing(":00Z", with: "Z")
        guard let zoneName else { return utc }
        let place = zone == zoneName ? zoneName : "\(zoneName) = \(zone ?? "?")"
        return "\(utc) (\(local.dropFirst(11).prefix(5)) \(place))"
    }
}

extension CalendarPerson {
    fileprivate var shown: String { name.map { "\($0) <\(email)>" } ?? email }
}

extension Attendee {
    fileprivate var shown: String {
        let kind = (isResource ? " room" : "") + (isOptional ? " optional" : "")
        let ways = (delegatedTo.map { " to \($0)" } ?? "") + (delegatedFrom.map { " from \($0)" } ?? "")
        return "\(person.email) \(participation.rawValue)\(kind)\(ways)"
    }
}
