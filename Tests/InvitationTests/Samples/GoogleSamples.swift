extension Sample {
    private static let program = "-//Google Inc//Google Calendar 70.9054//EN"
    private static let berlin = Made.zone("Europe/Berlin", "X-LIC-LOCATION:Europe/Berlin")
    private static let guest = Made.me.replacing(":mailto", with: ";X-NUM-GUESTS=0:mailto")

    static let google = [
        Sample(
            "A folded text with escaped signs",
            Made.calendar(
                by: program,
                Made.event(
                    "g1@google.example", "Planning\\, part 1",
                    people: [
                        Made.grace, guest,
                        guest.replacing("ada@example.org", with: "bob@example.net").replacing(
                            "NEEDS-ACTION", with: "ACCEPTED"),
                    ],
                    [
                        "LOCATION:Room 4\\; upst\n airs", "DESCRIPTION:Join: https://meet.example/abc\\nBye",
                        "X-GOOGLE-CONFERENCE:https://meet.example/abc",
                    ])),
            reads: """
                request g1@google.example 0: Planning, part 1
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                at Room 4; upstairs
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action, bob@example.net accepted
                """),
        Sample(
            "A later version, in a zone",
            Made.calendar(
                by: program, zones: [berlin],
                Made.event(
                    "g1@google.example", "Planning moved",
                    at: Made.times("Europe/Berlin", "20260330T140000", "20260330T150000"),
                    ["SEQUENCE:2", "STATUS:CONFIRMED"])),
            reads: """
                request g1@google.example 2: Planning moved
                2026-03-30T12:00Z (14:00 Europe/Berlin) to 2026-03-30T13:00Z (15:00 Europe/Berlin)
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "A cancellation",
            Made.calendar(
                method: "CANCEL", by: program,
                Made.event("g1@google.example", "Planning", ["SEQUENCE:3", "STATUS:CANCELLED"])),
            reads: """
                cancel g1@google.example 3: Planning
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                cancelled
                by Grace Hopper <grace@example.com>
                with ada@example.org needs-action
                """),
        Sample(
            "An answer",
            Made.calendar(
                method: "REPLY", by: program,
                Made.event(
                    "mine@example.org", "My meeting",
                    people: [
                        "ORGANIZER:mailto:ada@example.org",
                        "ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED;X-NUM-GUESTS=0:mailto:bob@example.net",
                    ])),
            reads: """
                reply mine@example.org 0: My meeting
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by ada@example.org
                with bob@example.net accepted
                """),
        Sample(
            "An organizer who is a group calendar",
            Made.calendar(
                by: program,
                Made.event(
                    "g5@google.example", "Team",
                    people: [
                        "ORGANIZER;CN=Team calendar:mailto:c_abc123@group.calendar.google.example", guest,
                    ])),
            reads: """
                request g5@google.example 0: Team
                2026-03-10T13:00Z to 2026-03-10T14:00Z
                by Team calendar <c_abc123@group.calendar.google.example>
                with ada@example.org needs-action
                """),
    ]
}
