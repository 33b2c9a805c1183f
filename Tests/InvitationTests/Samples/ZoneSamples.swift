extension Sample {
    private static let sydney = Made.zone(
        "AUS Eastern Standard Time", standard: "+1000", summer: "+1100", begins: "1SU;BYMONTH=10",
        ends: "1SU;BYMONTH=4")

    static let zones = [
        Sample(
            "South of the equator, in summer time",
            Made.calendar(
                zones: [sydney],
                Made.event(
                    "z1", "Call Sydney",
                    at: Made.times("AUS Eastern Standard Time", "20260403T090000", "20260403T100000"),
                    ["RRULE:FREQ=WEEKLY;COUNT=2"])),
            reads: """
                request z1 0: Call Sydney
                2026-04-02T22:00Z (09:00 AUS Eastern Standard Time = Australia/Sydney) to 2026-04-02T23:00Z (10:00 AUS Eastern Standard Time = Australia/Sydney)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every week, 2 times
                next 2026-04-02T22:00Z (09:00 AUS Eastern Standard Time = Australia/Sydney), 2026-04-09T23:00Z (09:00 AUS Eastern Standard Time = Australia/Sydney)
                """),
        Sample(
            "Over the beginning of summer time, by a duration",
            Made.calendar(
                zones: [Made.zone("Europe/Berlin")],
                Made.event(
                    "z2", "Night shift", at: ["DTSTART;TZID=Europe/Berlin:20260328T220000", "DURATION:PT8H"])),
            reads: """
                request z2 0: Night shift
                2026-03-28T21:00Z (22:00 Europe/Berlin) to 2026-03-29T05:00Z (07:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A day by a duration, over the beginning of summer time",
            Made.calendar(
                zones: [Made.zone("Europe/Berlin")],
                Made.event("z3", "Watch", at: ["DTSTART;TZID=Europe/Berlin:20260328T120000", "DURATION:P1D"])),
            reads: """
                request z3 0: Watch
                2026-03-28T11:00Z (12:00 Europe/Berlin) to 2026-03-29T10:00Z (12:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A zone that does not exist",
            Made.calendar(
                Made.event(
                    "z4", "Somewhere",
                    at: Made.times("Mars/Olympus Mons", "20260310T090000", "20260310T100000"))),
            reads: """
                request z4 0: Somewhere
                2026-03-10T09:00 in Mars/Olympus Mons to 2026-03-10T10:00 in Mars/Olympus Mons
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A zone without rules, whose name is known",
            Made.calendar(
                zones: ["BEGIN:VTIMEZONE\nTZID:Asia/Tokyo\nEND:VTIMEZONE\n"],
                Made.event("z5", "Tokyo", at: Made.times("Asia/Tokyo", "20260310T090000", "20260310T100000"))),
            reads: """
                request z5 0: Tokyo
                2026-03-10T00:00Z (09:00 Asia/Tokyo) to 2026-03-10T01:00Z (10:00 Asia/Tokyo)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A start and an end in two zones",
            Made.calendar(
                Made.event(
                    "z6", "Flight",
                    at: [
                        "DTSTART;TZID=Europe/Berlin:20260310T090000",
                        "DTEND;TZID=America/New_York:20260310T120000",
                    ])),
            reads: """
                request z6 0: Flight
                2026-03-10T08:00Z (09:00 Europe/Berlin) to 2026-03-10T16:00Z (12:00 America/New_York)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "In quotes",
            Made.calendar(
                zones: [Made.zone("Central, Europe")],
                Made.event(
                    "z7", "Quoted",
                    at: Made.times("\"Central, Europe\"", "20260710T090000", "20260710T100000"))),
            reads: """
                request z7 0: Quoted
                2026-07-10T07:00Z (09:00 Central, Europe = ?) to 2026-07-10T08:00Z (10:00 Central, Europe = ?)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
    ]
}
