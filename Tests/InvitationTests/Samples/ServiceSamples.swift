extension Sample {
    private static let berlin = Made.zone("Europe/Berlin")
    private static let review = ["DTSTART;TZID=Europe/Berlin:20261025T013000", "DURATION:PT3H"]

    static let services = [
        Sample(
            "Nextcloud: three hours over the end of summer time",
            Made.calendar(
                by: "-//Sabre//Sabre VObject 4.5.4//EN", zones: [berlin],
                Made.event(
                    "nc15", "Review", at: review,
                    people: [
                        Made.grace,
                        "ATTENDEE;LANGUAGE=en;SCHEDULE-STATUS=1.1;PARTSTAT=NEEDS-ACTION;CN=Ada:mailto:ada@example.org",
                    ])),
            reads: """
                request nc15 0: Review
                2026-10-24T23:30Z (01:30 Europe/Berlin) to 2026-10-25T02:30Z (03:30 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Nextcloud: a cancellation",
            Made.calendar(
                method: "CANCEL", by: "-//Sabre//Sabre VObject 4.5.4//EN", zones: [berlin],
                Made.event("nc15", "Review", at: review, ["SEQUENCE:1", "STATUS:CANCELLED"])),
            reads: """
                cancel nc15 1: Review
                2026-10-24T23:30Z (01:30 Europe/Berlin) to 2026-10-25T02:30Z (03:30 Europe/Berlin)
                cancelled
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Zoom: published, without people",
            Made.calendar(
                method: "PUBLISH", by: "-//zoom.us//iCalendar Event//EN",
                Made.event(
                    "zoom17", "Ada's Zoom Meeting", people: [],
                    ["LOCATION:https://zoom.example/j/123", "BEGIN:VALARM", "TRIGGER:-PT10M", "END:VALARM"])),
            reads: """
                publish zoom17 0: Ada's Zoom Meeting
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                at https://zoom.example/j/123
                """),
        Sample(
            "Zoom: a zone that is described nowhere",
            Made.calendar(
                by: "-//zoom.us//iCalendar Event//EN",
                Made.event(
                    "zoom18", "Webinar",
                    at: Made.times("America/New_York", "20260701T100000", "20260701T110000"))),
            reads: """
                request zoom18 0: Webinar
                2026-07-01T14:00Z (10:00 America/New_York) to 2026-07-01T15:00Z (11:00 America/New_York)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A booking service: the method in the type alone",
            Made.calendar(method: nil, Made.event("book1", "Haircut")), method: "REQUEST",
            reads: """
                request book1 0: Haircut
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A booking service: no end, no people",
            Made.calendar(
                method: "PUBLISH",
                Made.event(
                    "book2", "Flight to Lisbon", at: ["DTSTART;TZID=Europe/Lisbon:20260605T063000"],
                    people: [])),
            reads: """
                publish book2 0: Flight to Lisbon
                2026-06-05T05:30Z (06:30 Europe/Lisbon) to 2026-06-05T05:30Z (06:30 Europe/Lisbon)
                """),
        Sample(
            "Evolution: its own prefix before the zone",
            Made.calendar(
                zones: [Made.zone("/freeassociation.sourceforge.net/Europe/Vienna")],
                Made.event(
                    "ev1", "Lunch",
                    at: Made.times(
                        "/freeassociation.sourceforge.net/Europe/Vienna", "20260615T120000", "20260615T130000"
                    ))),
            reads: """
                request ev1 0: Lunch
                2026-06-15T10:00Z (12:00 /freeassociation.sourceforge.net/Europe/Vienna = Europe/Vienna) to 2026-06-15T11:00Z (13:00 /freeassociation.sourceforge.net/Europe/Vienna = Europe/Vienna)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "An answer that does not say when",
            Made.calendar(
                method: "REPLY",
                Made.event(
                    "my30@example.org", "My meeting", at: [],
                    people: [
                        "ORGANIZER:mailto:ada@example.org",
                        "ATTENDEE;PARTSTAT=DECLINED:mailto:bob@example.net",
                    ])),
            reads: """
                reply my30@example.org 0: My meeting
                ? to ?
                by ada@example.org
                with bob@example.net declined
                """),
        Sample(
            "A request for news",
            Made.calendar(
                method: "REFRESH",
                Made.event(
                    "my31@example.org", "", at: [],
                    people: ["ORGANIZER:mailto:ada@example.org", "ATTENDEE:mailto:bob@example.net"])),
            reads: """
                refresh my31@example.org 0:
                ? to ?
                by ada@example.org
                with bob@example.net needs-action
                """),
    ]
}
