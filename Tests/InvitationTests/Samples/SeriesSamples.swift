extension Sample {
    private static let berlin = Made.zone("Europe/Berlin")
    private static let times = Made.times("Europe/Berlin", "20260310T140000", "20260310T150000")

    private static func moved(_ uid: String, from old: String, to new: [String], _ more: [String] = [])
        -> String
    {
        Made.event(
            uid, "Weekly (moved)", at: new, ["RECURRENCE-ID;TZID=Europe/Berlin:\(old)", "SEQUENCE:1"] + more)
    }

    static let series = [
        Sample(
            "Weekly over the change of the clock, one taken out, one moved",
            Made.calendar(
                zones: [berlin],
                Made.event(
                    "s1", "Weekly", at: times,
                    ["RRULE:FREQ=WEEKLY;COUNT=6;BYDAY=TU", "EXDATE;TZID=Europe/Berlin:20260324T140000"]),
                moved(
                    "s1", from: "20260317T140000",
                    to: Made.times("Europe/Berlin", "20260317T160000", "20260317T170000"))),
            reads: """
                request s1 0: Weekly
                2026-03-10T13:00Z (14:00 Europe/Berlin) to 2026-03-10T14:00Z (15:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every week on Tuesday, 6 times
                next 2026-03-10T13:00Z (14:00 Europe/Berlin), 2026-03-17T15:00Z (16:00 Europe/Berlin)!, 2026-03-31T12:00Z (14:00 Europe/Berlin), 2026-04-07T12:00Z (14:00 Europe/Berlin), 2026-04-14T12:00Z (14:00 Europe/Berlin)
                but 2026-03-17T13:00Z (14:00 Europe/Berlin): 2026-03-17T15:00Z (16:00 Europe/Berlin) to 2026-03-17T16:00Z (17:00 Europe/Berlin) / instead of 2026-03-17T13:00Z (14:00 Europe/Berlin) / by Grace Hopper <grace@example.com> / with ada@example.org needs-action
                """),
        Sample(
            "One canceled within the series",
            Made.calendar(
                zones: [berlin],
                Made.event("s2", "Weekly", at: times, ["RRULE:FREQ=WEEKLY;UNTIL=20260331T215959Z"]),
                moved(
                    "s2", from: "20260317T140000",
                    to: Made.times("Europe/Berlin", "20260317T140000", "20260317T150000"),
                    ["STATUS:CANCELLED"])),
            reads: """
                request s2 0: Weekly
                2026-03-10T13:00Z (14:00 Europe/Berlin) to 2026-03-10T14:00Z (15:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every week, until March 31, 2026
                next 2026-03-10T13:00Z (14:00 Europe/Berlin), 2026-03-24T13:00Z (14:00 Europe/Berlin), 2026-03-31T12:00Z (14:00 Europe/Berlin)
                but 2026-03-17T13:00Z (14:00 Europe/Berlin): 2026-03-17T13:00Z (14:00 Europe/Berlin) to 2026-03-17T14:00Z (15:00 Europe/Berlin) / instead of 2026-03-17T13:00Z (14:00 Europe/Berlin) / cancelled / by Grace Hopper <grace@example.com> / with ada@example.org needs-action
                """),
        Sample(
            "Moved from the past into the future",
            Made.calendar(
                zones: [berlin],
                Made.event(
                    "s3", "Weekly", at: Made.times("Europe/Berlin", "20260210T140000", "20260210T150000"),
                    ["RRULE:FREQ=WEEKLY;COUNT=3"]),
                moved(
                    "s3", from: "20260217T140000",
                    to: Made.times("Europe/Berlin", "20260320T140000", "20260320T150000"))),
            reads: """
                request s3 0: Weekly
                2026-02-10T13:00Z (14:00 Europe/Berlin) to 2026-02-10T14:00Z (15:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every week, 3 times
                next 2026-03-20T13:00Z (14:00 Europe/Berlin)!
                but 2026-02-17T13:00Z (14:00 Europe/Berlin): 2026-03-20T13:00Z (14:00 Europe/Berlin) to 2026-03-20T14:00Z (15:00 Europe/Berlin) / instead of 2026-02-17T13:00Z (14:00 Europe/Berlin) / by Grace Hopper <grace@example.com> / with ada@example.org needs-action
                """),
        Sample(
            "Dates instead of a rule",
            Made.calendar(
                Made.event(
                    "s4", "Course",
                    ["RDATE:20260312T130000Z,20260317T130000Z", "RDATE;VALUE=PERIOD:20260401T130000Z/PT1H"])),
            reads: """
                request s4 0: Course
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                On several dates
                next 2026-03-10T13:00Z, 2026-03-12T13:00Z, 2026-03-17T13:00Z, 2026-04-01T13:00Z
                """),
        Sample(
            "Dates besides a rule",
            Made.calendar(
                Made.event("s5", "Course", ["RRULE:FREQ=DAILY;COUNT=2", "RDATE:20260401T130000Z"])),
            reads: """
                request s5 0: Course
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every day, 2 times
                next 2026-03-10T13:00Z, 2026-03-11T13:00Z, 2026-04-01T13:00Z
                """),
        Sample(
            "The last Friday of a month",
            Made.calendar(
                Made.event(
                    "s6", "Demo", at: ["DTSTART:20260327T130000Z", "DTEND:20260327T140000Z"],
                    ["RRULE:FREQ=MONTHLY;BYDAY=-1FR"])),
            reads: """
                request s6 0: Demo
                2026-03-27T13:00Z to 2026-03-27T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every month on the last Friday
                next 2026-03-27T13:00Z, 2026-04-24T13:00Z, 2026-05-29T13:00Z, 2026-06-26T13:00Z, 2026-07-31T13:00Z
                """),
        Sample(
            "The second Tuesday, as Exchange has it",
            Made.calendar(Made.event("s7", "Board", ["RRULE:FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2;COUNT=3"])),
            reads: """
                request s7 0: Board
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every month on the second Tuesday, 3 times
                next 2026-03-10T13:00Z, 2026-04-14T13:00Z, 2026-05-12T13:00Z
                """),
        Sample(
            "The first day of work of a month",
            Made.calendar(
                Made.event(
                    "s8", "Payday", at: ["DTSTART;VALUE=DATE:20260401"],
                    ["RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1"])),
            reads: """
                request s8 0: Payday
                2026-04-01 to 2026-04-02
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every month on the first weekday
                next 2026-04-01, 2026-05-01, 2026-06-01, 2026-07-01, 2026-08-03
                """),
        Sample(
            "On weekdays",
            Made.calendar(Made.event("s9", "Stand-up", ["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"])),
            reads: """
                request s9 0: Stand-up
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every weekday
                next 2026-03-10T13:00Z, 2026-03-11T13:00Z, 2026-03-12T13:00Z, 2026-03-13T13:00Z, 2026-03-16T13:00Z
                """),
        Sample(
            "Every other week on two days, until a day",
            Made.calendar(
                Made.event("s10", "Class", ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20260326"])),
            reads: """
                request s10 0: Class
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every 2 weeks on Tuesday and Thursday, until March 26, 2026
                next 2026-03-10T13:00Z, 2026-03-12T13:00Z, 2026-03-24T13:00Z
                """),
        Sample(
            "Over since last year",
            Made.calendar(
                Made.event(
                    "s11", "Old", at: ["DTSTART:20250310T130000Z", "DTEND:20250310T140000Z"],
                    ["RRULE:FREQ=WEEKLY;COUNT=3"])),
            reads: """
                request s11 0: Old
                2025-03-10T13:00Z to 2025-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every week, 3 times
                next
                """),
        Sample(
            "Taken out by the day",
            Made.calendar(
                Made.event("s12", "Daily", ["RRULE:FREQ=DAILY;COUNT=4", "EXDATE;VALUE=DATE:20260311"])),
            reads: """
                request s12 0: Daily
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                Every day, 4 times
                next 2026-03-10T13:00Z, 2026-03-12T13:00Z, 2026-03-13T13:00Z
                """),
    ]
}
