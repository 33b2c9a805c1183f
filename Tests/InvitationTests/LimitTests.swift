import Foundation
import Testing

@testable import Invitations

@Suite("Huge invitations cost little") struct LimitTests {
    private func read(_ calendar: String) -> Invitation? { Sample("", calendar, reads: "").invitation }

    @Test func listsOnlySoManyAttendees() {
        let guests = (0..<5000).map { "ATTENDEE;CN=Guest \($0):mailto:guest\($0)@example.org" }
        let invitation = read(Made.calendar(Made.event("h1", "Everybody", people: [Made.grace] + guests)))
        #expect(invitation?.event.attendees.count == CalendarText.mostOfOneKind)
        #expect(invitation?.isCut == true)
    }

    @Test func readsOnlySoManyEvents() {
        let events = (0..<3000).map { Made.event("h2-\($0)", "Event") }.joined()
        let invitation = read(Made.calendar(events))
        #expect(invitation?.otherCount == CalendarText.mostEvents - 1)
        #expect(invitation?.isCut == true)
    }

    @Test func passesByWhatIsNestedDeeply() {
        let depth = 60_000
        let nested =
            String(repeating: "BEGIN:VEVENT\n", count: depth)
            + String(repeating: "END:VEVENT\n", count: depth)
        let event = Made.event("h3", "Deep").replacing("END:VEVENT", with: nested + "END:VEVENT")
        #expect(read(Made.calendar(event))?.event.title == "Deep")
        #expect(read(String(repeating: "BEGIN:VCALENDAR\n", count: 100_000)) == nil)
    }

    @Test func leavesOutFilesAndCutsTexts() {
        let file = "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + String(repeating: "QUJD", count: 200_000)
        let notes = "DESCRIPTION:" + String(repeating: "word\\, ", count: 20_000)
        let event = read(Made.calendar(Made.event("h4", "Files", [file, notes])))?.event
        #expect(event?.title == "Files")
        #expect((10_000...60_000).contains(event?.notes.utf8.count ?? 0))
    }

    @Test func rejectsWhatIsTooLarge() {
        let notes = (0..<30_000).map { "DESCRIPTION:\($0)" + String(repeating: "x", count: 70) }
        #expect(read(Made.calendar(Made.event("h5", "Large", notes))) == nil)
    }

    @Test(arguments: [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=SECONDLY", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=31", "FREQ=HOURLY;INTERVAL=99999",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7;BYMINUTE=0,1,2,3;BYSECOND=0,1,2,3;BYMONTH=2;BYMONTHDAY=31",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31", "FREQ=YEARLY;BYYEARDAY=366;INTERVAL=3",
        "FREQ=WEEKLY;BYSETPOS=300",
        "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6", "FREQ=DAILY;COUNT=2147483647",
        "FREQ=MONTHLY;BYDAY=99MO",
        "FREQ=YEARLY;INTERVAL=2147483647", "RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=5L;BYMONTHDAY=8;SKIP=FORWARD",
        "FREQ=DAILY;UNTIL=99991231T235959Z",
    ])
    func noRuleTakesLong(_ rule: String) {
        let took = seconds {
            for start in ["20260310T130000Z", "19700101T000000Z", "19000101T000000Z", "99981231T235959Z"] {
                let time = ["DTSTART:\(start)", "DURATION:PT1H"]
                _ = read(Made.calendar(Made.event("h6", "Rule", at: time, ["RRULE:\(rule)"])))
            }
        }
        #expect(took < 2, "\(rule): \(took) s")
    }

    @Test func aZoneWithManyRulesIsRead() {
        let half =
            "BEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1,2,3,4,5,6,7\nEND:STANDARD\n"
        let zone = "BEGIN:VTIMEZONE\nTZID:Many\n" + String(repeating: half, count: 500) + "END:VTIMEZONE\n"
        let times = Made.times("Many", "20260310T090000", "20260310T100000")
        let took = seconds {
            #expect(
                read(Made.calendar(zones: [zone], Made.event("h7", "Many", at: times)))?.event.title == "Many"
            )
        }
        #expect(took < 2, "\(took) s")
    }

    /// Zones by the dozen, from the first year to the 25th century, and dates in each of them.
    @Test func manyZonesOfManyYearsCostLittle() {
        let rules = (0..<20).flatMap { rule in
            ["STANDARD", "DAYLIGHT"].map {
                "BEGIN:\($0)\nDTSTART:00010101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n"
                    + "RRULE:FREQ=YEARLY;BYMONTH=\(rule % 12 + 1);BYDAY=1SU\nEND:\($0)\n"
            }
        }
        let zones = (0..<20).map {
            "BEGIN:VTIMEZONE\nTZID:z\($0)\n" + rules.joined() + "END:VTIMEZONE\n"
        }
        let dates = (0..<400).map { "RDATE;TZID=z\($0 % 20):24990101T\(10 + $0 / 20 % 10)0000" }
        let start = ["DTSTART;TZID=z0:24990101T000000", "DURATION:PT1H"]
        let event = Made.event("h8", "Zones", at: start, ["RRULE:FREQ=DAILY"] + dates)
        let took = seconds {
            let recurrence = read(Made.calendar(zones: zones, event))?.event.recurrence
            #expect(recurrence?.words == "Every day")
        }
        #expect(took < 1.5, "\(took) s")
    }

    /// A series that began before 1970, and one that is looked through for another message, are not listed.
    @Test func whatIsNotListedStillSaysThatItRepeats() {
        let old = Made.event(
            "h9", "Old", at: ["DTSTART:19690101T090000Z", "DURATION:PT1H"], ["RRULE:FREQ=YEARLY"])
        let event = read(Made.calendar(old))?.event
        #expect(event?.start?.local == "1969-01-01T09:00:00")
        #expect(event?.recurrence?.words == "Every year" && event?.recurrence?.isListed == false)
        let daily = Made.calendar(Made.event("h10", "Daily", ["RRULE:FREQ=DAILY"]))
        let unlisted = InvitationReader.read(Data(daily.utf8), now: nil)?.event.recurrence
        #expect(unlisted?.words == "Every day" && unlisted?.next.isEmpty == true)
    }

    /// Of a long history of a zone, what counts today is kept.
    @Test func aZoneWithALongHistoryIsRightToday() {
        let past = (1900..<1960).map {
            "BEGIN:STANDARD\nDTSTART:\($0)0101T000000\nTZOFFSETFROM:+0300\nTZOFFSETTO:+0400\nEND:STANDARD\n"
        }
        let ended =
            "BEGIN:DAYLIGHT\nDTSTART:19400401T020000\nTZOFFSETFROM:+0400\nTZOFFSETTO:+0700\n"
            + "RRULE:FREQ=YEARLY;UNTIL=19450401T000000Z;BYMONTH=4;BYDAY=1SU\nEND:DAYLIGHT\n"
        let history = past.joined() + ended
        let zone = Made.zone("Long").replacing("BEGIN:STANDARD", with: history + "BEGIN:STANDARD")
        for (day, hour) in [("20260110", "08"), ("20260710", "07")] {
            let times = Made.times("Long", day + "T090000", day + "T100000")
            let event = read(Made.calendar(zones: [zone], Made.event("h11", "Long", at: times)))?.event
            #expect(event?.start?.date?.formatted(.iso8601).contains("T\(hour):00") == true, "\(day)")
        }
    }

    /// Of work: other tests may wait for the same library.
    private func seconds(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let began = now()
        work()
        return now() - began
    }
}
