extension Sample {
    private static let program = "-//Apple Inc.//macOS 14.5//EN"
    private static let berlin = Made.zone("Europe/Berlin")
    private static let times = Made.times("Europe/Berlin", "20260310T140000", "20260310T150000")

    static let apple = [
        Sample(
            "A name with a comma, and a place in two lines",
            Made.calendar(
                by: program, zones: [berlin],
                Made.event(
                    "6E1F-AP-13", "Café ☕ with Zoë", at: times,
                    people: [
                        Made.grace,
                        "ATTENDEE;CN=\"Byron, Ada\";EMAIL=ada@example.org;PARTSTAT=NEEDS-ACTION:mailto:ada@example.org",
                    ],
                    [
                        "LOCATION:Café\\nMade-Up Street 1\\, Town",
                        "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS=\"Made-Up Street 1, Town\";X-TITLE=\"Café\":geo:52.5,13.4",
                    ])),
            reads: """
                request 6E1F-AP-13 0: Café ☕ with Zoë
                2026-03-10T13:00Z (14:00 Europe/Berlin) to 2026-03-10T14:00Z (15:00 Europe/Berlin)
                at Café|Made-Up Street 1, Town
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A day each year, without an end",
            Made.calendar(
                by: program,
                Made.event(
                    "AP-14", "Birthday", at: ["DTSTART;VALUE=DATE:20260620"],
                    ["RRULE:FREQ=YEARLY", "TRANSP:TRANSPARENT"])),
            reads: """
                request AP-14 0: Birthday
                2026-06-20 to 2026-06-21
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every year
                next 2026-06-20, 2027-06-20, 2028-06-20, 2029-06-20, 2030-06-20
                """),
        Sample(
            "An answer alone",
            Made.calendar(
                method: "REPLY", by: program,
                Made.event(
                    "my11@example.org", "My meeting",
                    people: [
                        "ORGANIZER:mailto:ada@example.org",
                        "ATTENDEE;PARTSTAT=TENTATIVE;CN=Bob:mailto:bob@example.net",
                    ])),
            reads: """
                reply my11@example.org 0: My meeting
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by ada@example.org
                with bob@example.net tentative
                """),
        Sample(
            "Wherever one is, without a method",
            Made.calendar(
                method: nil, by: program,
                Made.event(
                    "AP-19", "Morning run", at: ["DTSTART:20260310T080000", "DTEND:20260310T090000"],
                    people: [])),
            reads: """
                publish AP-19 0: Morning run
                2026-03-10T08:00 in any zone to 2026-03-10T09:00 in any zone
                """),
        Sample(
            "An attendee whose address is a parameter",
            Made.calendar(
                by: program,
                Made.event(
                    "AP-21", "Call",
                    people: [
                        "ORGANIZER;CN=Grace;EMAIL=grace@example.com:/aMjM/principal/",
                        "ATTENDEE;CN=Ada;EMAIL=ada@example.org;PARTSTAT=ACCEPTED:urn:uuid:1234",
                    ])),
            reads: """
                request AP-21 0: Call
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace <grace@example.com>
                with ada@example.org accepted
                """),
        Sample(
            "An alarm within",
            Made.calendar(
                by: program,
                Made.event(
                    "AP-22", "With alarm",
                    [
                        "BEGIN:VALARM", "TRIGGER:-PT10M", "ACTION:DISPLAY", "DESCRIPTION:Not the notes",
                        "UID:alarm", "END:VALARM", "LOCATION:Here",
                    ])),
            reads: """
                request AP-22 0: With alarm
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                at Here
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
    ]
}
