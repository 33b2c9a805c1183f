import Foundation
import Testing

@testable import Invitations

/// What other programs wrote, with what an independent reader made of it, where the samples are beside the project.
@Suite("Noted invitations are read as they were noted") struct NotedSampleTests {
    private struct Noted: Decodable {
        struct Event: Decodable {
            var uid, summary, start, end: String
            var organizer, location: String?
            var sequence: Int
            var attendees: [[String]]
        }

        var method: String?
        var events: [Event]
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/fixtures/page/itip/samples").standardizedFileURL

    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".ics") }.sorted()

    @Test(.enabled(if: !names.isEmpty, "The samples are not on this machine."), arguments: names)
    func readsAsNoted(_ name: String) throws {
        let calendar = Self.folder.appending(path: name)
        let json = calendar.deletingPathExtension().appendingPathExtension("json")
        let noted = try JSONDecoder().decode(Noted.self, from: Data(contentsOf: json))
        let read = InvitationReader.read(try Data(contentsOf: calendar), now: Sample.now)
        let invitation = try #require(read)
        #expect(invitation.method.rawValue == (noted.method ?? "PUBLISH").lowercased())
        #expect(invitation.exceptions.count + 1 == noted.events.count)
        for (event, expected) in zip([invitation.event] + invitation.exceptions, noted.events) {
            #expect(event.uid == expected.uid && event.title == expected.summary)
            #expect(event.sequence == expected.sequence)
            #expect(event.start.map(shown) == expected.start && event.end.map(shown) == expected.end)
            #expect(event.organizer?.email == expected.organizer)
            #expect(event.place == expected.location ?? "")
            #expect(event.attendees.map(\.person.email) == expected.attendees.map(\.[0]))
        }
    }

    private func shown(_ time: CalendarTime) -> String {
        time.date?.formatted(.iso8601) ?? time.local
    }
}

@Suite("An occurrence is known in whatever zone it is named") struct MomentTests {
    @Test func theSameMomentIsTheSameOccurrence() {
        let date = Date(timeIntervalSince1970: 1_773_147_600)
        let there = CalendarTime(local: "2026-03-10T14:00:00", date: date, zone: "Europe/Berlin")
        let here = CalendarTime(local: "2026-03-10T13:00:00", date: date, zone: "UTC")
        #expect(there.moment == here.moment)
        #expect(CalendarTime(local: "2026-03-10").moment != there.moment)
    }
}
