extension Sample {
    private static let program = "Microsoft Exchange Server 2010"
    private static let name = "W. Europe Standard Time"
    private static let west = Made.zone(name)
    private static let times = Made.times(name, "20260706T090000", "20260706T093000")
    private static let mine = ["ORGANIZER;CN=Ada:MAILTO:ada@example.org"]
    private static let bob = "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=%;CN=Bob:MAILTO:bob@example.net"
    private static let custom = """
        BEGIN:VTIMEZONE
        TZID:Customized Time Zone 7
        BEGIN:STANDARD
        DTSTART:16010101T000000
        TZOFFSETFROM:+0545
        TZOFFSETTO:+0545
        END:STANDARD
        END:VTIMEZONE

        """

    static let exchange = [
        Sample(
            "A Windows zone with its rules",
            Made.calendar(
                by: program, zones: [west],
                Made.event(
                    "040000008200E00074C5B7101A82E008", "Stand-up", at: times,
                    [
                        "DESCRIPTION;LANGUAGE=en-US:\\n______\\nJoin the meeting",
                        "X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", "PRIORITY:5",
                    ])),
            reads: """
                request 040000008200E00074C5B7101A82E008 0: Stand-up
                2026-07-06T07:00Z (09:00 W. Europe Standard Time = Europe/Berlin) to 2026-07-06T07:30Z (09:30 W. Europe Standard Time = Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "Days",
            Made.calendar(
                by: program, zones: [west],
                Made.event(
                    "ex6", "Offsite", at: ["DTSTART;VALUE=DATE:20260504", "DTEND;VALUE=DATE:20260506"],
                    ["X-MICROSOFT-CDO-ALLDAYEVENT:TRUE"])),
            reads: """
                request ex6 0: Offsite
                2026-05-04 to 2026-05-06
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A zone of its own",
            Made.calendar(
                by: program, zones: [custom],
                Made.event(
                    "ex7", "From Kathmandu",
                    at: Made.times("Customized Time Zone 7", "20260405T100000", "20260405T110000"))),
            reads: """
                request ex7 0: From Kathmandu
                2026-04-05T04:15Z (10:00 Customized Time Zone 7 = ?) to 2026-04-05T05:15Z (11:00 Customized Time Zone 7 = ?)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "One occurrence is canceled",
            Made.calendar(
                method: "CANCEL", by: program, zones: [west],
                Made.event(
                    "ex8", "Canceled: Weekly sync",
                    at: Made.times(name, "20260713T090000", "20260713T093000"),
                    ["SEQUENCE:4", "STATUS:CANCELLED", "RECURRENCE-ID;TZID=\(name):20260713T090000"])),
            reads: """
                cancel ex8 4: Canceled: Weekly sync
                2026-07-13T07:00Z (09:00 W. Europe Standard Time = Europe/Berlin) to 2026-07-13T07:30Z (09:30 W. Europe Standard Time = Europe/Berlin)
                instead of 2026-07-13T07:00Z (09:00 W. Europe Standard Time = Europe/Berlin)
                cancelled
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "An answer with a note",
            Made.calendar(
                method: "REPLY", by: program,
                Made.event(
                    "my10@example.org", "My meeting", people: mine + [bob.replacing("%", with: "DECLINED")],
                    ["COMMENT;LANGUAGE=en-US:Sorry\\, away"])),
            reads: """
                reply my10@example.org 0: My meeting
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                says Sorry, away
                by Ada <ada@example.org>
                with bob@example.net declined
                """),
        Sample(
            "Another time is proposed",
            Made.calendar(
                method: "COUNTER", by: program,
                Made.event(
                    "my12@example.org", "New Time Proposed: My meeting",
                    at: ["DTSTART:20260311T080000Z", "DTEND:20260311T090000Z"],
                    people: mine + [bob.replacing("%", with: "TENTATIVE")],
                    ["X-MS-OLK-ORIGINALSTART:20260310T130000Z"])),
            reads: """
                counter my12@example.org 0: New Time Proposed: My meeting
                2026-03-11T08:00Z to 2026-03-11T09:00Z
                by Ada <ada@example.org>
                with bob@example.net tentative
                """),
        Sample(
            "A deputy and a room",
            Made.calendar(
                by: program, zones: [west],
                Made.event(
                    "ex20", "Demo", at: Made.times(name, "20260327T150000", "20260327T160000"),
                    people: [
                        Made.grace,
                        "ATTENDEE;ROLE=OPT-PARTICIPANT;DELEGATED-TO=\"mailto:bob@example.net\";PARTSTAT=DELEGATED;CN=Ada:mailto:ada@example.org",
                        "ATTENDEE;RSVP=TRUE;DELEGATED-FROM=\"mailto:ada@example.org\";PARTSTAT=NEEDS-ACTION;CN=Bob:mailto:bob@example.net",
                        "ATTENDEE;CUTYPE=ROOM;ROLE=NON-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Room 4:MAILTO:room4@example.com",
                    ], ["SEQUENCE:1"])),
            reads: """
                request ex20 1: Demo
                2026-03-27T14:00Z (15:00 W. Europe Standard Time = Europe/Berlin) to 2026-03-27T15:00Z (16:00 W. Europe Standard Time = Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org delegated optional to bob@example.net, bob@example.net needs-action from ada@example.org, room4@example.com accepted room optional
                """),
        Sample(
            "A proposal is declined",
            Made.calendar(
                method: "DECLINECOUNTER", by: program,
                Made.event("ex22", "Stand-up", at: times, ["COMMENT:No\\, sorry"])),
            reads: """
                declinecounter ex22 0: Stand-up
                2026-07-06T07:00Z (09:00 W. Europe Standard Time = Europe/Berlin) to 2026-07-06T07:30Z (09:30 W. Europe Standard Time = Europe/Berlin)
                says No, sorry
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A Windows zone without its rules",
            Made.calendar(
                by: program,
                Made.event(
                    "ex23", "Stand-up",
                    at: Made.times("Pacific Standard Time", "20260706T090000", "20260706T093000"))),
            reads: """
                request ex23 0: Stand-up
                2026-07-06T16:00Z (09:00 Pacific Standard Time = America/Los_Angeles) to 2026-07-06T16:30Z (09:30 Pacific Standard Time = America/Los_Angeles)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
    ]
}
