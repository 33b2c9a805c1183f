import Foundation
import Testing

@testable import Invitations

@Suite("Answers to invitations are written") struct WritingTests {
    private static let ada = CalendarPerson(name: "Ada \"Byron\", Countess", email: "ada@example.org")

    private func event(_ uid: String, in samples: [Sample]) throws -> CalendarEvent {
        try #require(samples.compactMap(\.invitation).map(\.event).first { $0.uid == uid })
    }

    private func reply(to event: CalendarEvent, _ answer: Participation = .accepted, note: String = "")
        -> String
    {
        ReplyWriter(to: event, from: Self.ada, answer, note: note, at: Sample.now).calendar
    }

    @Test func anAnswerNamesTheEventTheOrganizerAndTheAttendee() throws {
        let event = try event("g1@google.example", in: [Sample.google[1]])
        let lines = reply(to: event, .tentative, note: "Late;\nsorry, really").split(separator: "\r\n")
        #expect(
            lines.map(String.init) == [
                "BEGIN:VCALENDAR", "PRODID:-//mailkernel//EN", "VERSION:2.0", "METHOD:REPLY", "BEGIN:VEVENT",
                "UID:g1@google.example", "SEQUENCE:2", "DTSTAMP:20260301T090000Z", "DTSTART:20260330T120000Z",
                "DTEND:20260330T130000Z", "ORGANIZER;CN=\"Grace Hopper\":mailto:grace@example.com",
                "ATTENDEE;PARTSTAT=TENTATIVE;CN=\"Ada Byron, Countess\":mailto:ada@example.org",
                "SUMMARY:Planning moved", "COMMENT:Late\\;\\nsorry\\, really", "END:VEVENT", "END:VCALENDAR",
            ])
    }

    @Test func anAnswerToOneOccurrenceNamesIt() throws {
        var event = try event("s3", in: Sample.series)
        let moved = try #require(Sample.series[2].invitation?.exceptions.first)
        #expect(!reply(to: event).contains("RECURRENCE-ID"))
        event = moved
        #expect(reply(to: event).contains("\r\nRECURRENCE-ID:20260217T130000Z\r\n"))
    }

    @Test func daysAndTimesWithoutZoneStayWhatTheyAre() throws {
        #expect(
            reply(to: try event("ex6", in: Sample.exchange)).contains("\r\nDTSTART;VALUE=DATE:20260504\r\n"))
        #expect(reply(to: try event("AP-19", in: Sample.apple)).contains("\r\nDTSTART:20260310T080000\r\n"))
    }

    /// What would turn a title around is in no answer, and a line of a note ends no line of the calendar.
    @Test func whatTurnsTextIsLeftOut() throws {
        let turns = [0x202A, 0x202D, 0x202E, 0x202C, 0x2066, 0x2068, 0x2069].compactMap(Unicode.Scalar.init)
        let title = "Pay " + turns.map { String($0) }.joined() + "txt.exe"
        let text = Made.calendar(Made.event("w1", title, ["LOCATION:" + title]))
        let event = try #require(InvitationReader.read(Data(text.utf8), now: Sample.now)?.event)
        #expect(event.title == "Pay txt.exe" && event.place == "Pay txt.exe")
        let written = reply(to: event, note: "One\rTwo\r\nThree\nFour")
        #expect(written.contains("\r\nCOMMENT:One\\nTwo\\nThree\\nFour\r\n"))
    }

    /// An answer is read as the same event, from any service.
    @Test(arguments: Sample.all) func anAnswerIsReadAsAnAnswer(_ sample: Sample) throws {
        guard let event = sample.invitation?.event else { return }
        let text = reply(to: event, .declined, note: "Ünïcödé ☕ " + String(repeating: "漢字", count: 40))
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
        let read = try #require(InvitationReader.read(Data(text.utf8), now: Sample.now))
        #expect(read.method == .reply)
        #expect(read.event.uid == event.uid)
        #expect(read.event.sequence == event.sequence)
        #expect(read.event.title == event.title)
        #expect(read.event.attendees.map(\.participation) == [.declined])
        #expect(read.event.comment.hasSuffix("漢字"))
        if let start = event.start, start.zoneName == nil || start.date != nil {
            #expect(read.event.start?.isSame(as: start) == true)
        }
    }

    @Test func whatChangedIsFound() throws {
        let old = try #require(Sample.google[0].invitation)
        let new = try #require(Sample.google[1].invitation)
        #expect(InvitationChange.between(old, new) == [.time, .place, .title, .notes, .guests])
        #expect(InvitationChange.between(new, new).isEmpty)
        #expect(new.event.isNewer(than: old.event))
        // The same instant in another zone is no change.
        var elsewhere = new
        elsewhere.event.start?.local = "2026-03-30T08:00:00"
        elsewhere.event.start?.zoneName = "America/New_York"
        #expect(InvitationChange.between(new, elsewhere).isEmpty)
        var series = try #require(Sample.series[0].invitation)
        let whole = series
        series.exceptions = []
        #expect(InvitationChange.between(whole, series) == [.recurrence])
    }
}
