import Foundation

extension Sample {
    private static let whole = Made.calendar(Made.event("b1", "Café"))

    /// The same with a line folded between the bytes of its last character.
    private static var foldedInside: Data {
        var bytes = Data(whole.replacing("\n", with: "\r\n").utf8)
        let place = bytes.firstRange(of: Data("Café".utf8))
        bytes.insert(contentsOf: Data("\r\n ".utf8), at: (place?.upperBound ?? 1) - 1)
        return bytes
    }

    static let broken = [
        Sample(
            "Folded inside of a character", bytes: foldedInside,
            reads: """
                request b1 0: Café
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Line ends of Unix and of old Macs",
            bytes: Data(whole.replacing("SUMMARY", with: "DESCRIPTION:x\r y\rSUMMARY").utf8),
            reads: """
                request b1 0: Café
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Two events", Made.calendar(Made.event("b2", "One"), Made.event("b3", "Two")),
            reads: """
                request b2 0: One
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                and 1 other
                """),
        Sample("Cut off", String(whole.prefix(200)), reads: ""),
        Sample("No event", Made.calendar(), reads: ""),
        Sample(
            "A task",
            "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VTODO\nUID:t\nSUMMARY:Task\nEND:VTODO\nEND:VCALENDAR\n",
            reads: ""),
        Sample("No time", Made.calendar(Made.event("b4", "Never", at: [])), reads: ""),
        Sample(
            "A time that is none", Made.calendar(Made.event("b5", "Never", at: ["DTSTART:20261345T997799Z"])),
            reads: ""),
        Sample(
            "Ends before it begins",
            Made.calendar(
                Made.event("b6", "Backwards", at: ["DTSTART:20260310T130000Z", "DTEND:20260310T120000Z"])),
            reads: """
                request b6 0: Backwards
                2026-03-10T13:00Z to 2026-03-10T13:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Ends on the day that it begins",
            Made.calendar(
                Made.event("b7", "One day", at: ["DTSTART;VALUE=DATE:20260310", "DTEND;VALUE=DATE:20260310"])),
            reads: """
                request b7 0: One day
                2026-03-10 to 2026-03-11
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Says that texts are dates",
            Made.calendar(
                Made.event(
                    "b8", "x", at: Made.utc,
                    people: ["ORGANIZER;VALUE=DATE:20260310", "ATTENDEE;VALUE=INTEGER:12"],
                    [
                        "LOCATION;VALUE=DATE:20260310", "SEQUENCE;VALUE=TEXT:abc",
                        "COMMENT;VALUE=PERIOD:20260310T130000Z/PT1H",
                    ])),
            reads: """
                request b8 0: x
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                at 20260310
                says 20260310T130000Z/PT1H
                """),
        Sample(
            "A method that is none, and no UID",
            Made.calendar(
                method: "X-DANCE", "BEGIN:VEVENT\nDTSTART:20260310T130000Z\nSUMMARY:Dance\nEND:VEVENT\n"),
            reads: """
                publish  0: Dance
                2026-03-10T13:00Z to 2026-03-10T13:00Z
                """),
        Sample(
            "Addresses without mailto",
            Made.calendar(
                Made.event(
                    "b9", "Bare",
                    people: [
                        "ORGANIZER:grace@example.com", "ATTENDEE:ada@example.org",
                        "ATTENDEE:mailto:a b@example.org", "ATTENDEE:",
                    ])),
            reads: """
                request b9 0: Bare
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by grace@example.com
                with ada@example.org needs-action
                """),
        Sample(
            "A rule of seconds that never applies",
            Made.calendar(Made.event("b10", "Endless", ["RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"])),
            reads: """
                request b10 0: Endless
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every second in February
                not listed
                """),
        Sample(
            "A rule that never applies",
            Made.calendar(Made.event("b11", "Never", ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"])),
            reads: """
                request b11 0: Never
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every year on day 30 in February
                next 2026-03-10T13:00Z
                """),
        Sample(
            "A zone with a change each second",
            Made.calendar(
                zones: [Made.zone("Fast").replacing("FREQ=YEARLY;INTERVAL=1", with: "FREQ=SECONDLY")],
                Made.event("b12", "Fast", at: Made.times("Fast", "20260710T090000", "20260710T100000"))),
            reads: """
                request b12 0: Fast
                2026-07-10T07:00Z (09:00 Fast = ?) to 2026-07-10T08:00Z (10:00 Fast = ?)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A length of ages",
            Made.calendar(
                Made.event("b13", "Ages", at: ["DTSTART:20260310T130000Z", "DURATION:P999999999W"])),
            reads: """
                request b13 0: Ages
                2026-03-10T13:00Z to 2026-03-10T13:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Signs that cannot be seen",
            Made.calendar(Made.event("b14", "Tab\tand \u{7}bell\\nline", ["LOCATION:\\n\\n  \\n"])),
            reads: """
                request b14 0: Tab and  bell line
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
    ]
}
