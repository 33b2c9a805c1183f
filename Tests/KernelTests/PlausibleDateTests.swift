import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import MessageFormat
import Testing

@testable import Care
@testable import Mail

/// FR-SYNC-02: a date that cannot be neither stops a batch nor keeps a message above all others.
@Suite("Dates that cannot be") struct PlausibleDateTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let day = 86_400.0
    private let dates = PlausibleDate(now: Self.now)

    private func message(_ header: String) -> ParsedMessage {
        MessageParser().parse(Data((header + "\r\n\r\nText\r\n").utf8)) { Id($0) }
    }

    @Test(
        arguments: [
            (0, true), (-3_600, true), (3_600, true), (-20 * 365 * day, true), (2 * day, false),
            (50 * 365 * day, false), (-60 * 365 * day, false), (-1_700_000_000, false), (.nan, false),
            (.infinity, false), (-.infinity, false),
        ] as [(Double, Bool)]) func isPlausible(_ seconds: Double, _ expected: Bool)
    {
        #expect(dates.isPlausible(Self.now + seconds) == expected)
    }

    @Test func theServersDateComesFirst() {
        let date = Self.now - 5 * Self.day
        #expect(dates.received(date, message("Date: Mon, 13 Nov 2023 12:00:00 +0000")) == date)
    }

    @Test(arguments: [Double.nan, .infinity, 0, -1e12, 4e9, 1e300])
    func thenThatOfTheLastServerThatItPassed(_ seconds: Double) {
        let parsed = message(
            """
            Received: from b.example by a.example; Mon, 13 Nov 2023 12:00:00 +0000\r
            Received: from c.example by b.example; Mon, 13 Nov 2023 11:00:00 +0000\r
            Date: Mon, 13 Nov 2023 10:00:00 +0000
            """)
        let expected = Date(timeIntervalSince1970: 1_699_876_800)
        #expect(dates.received(Date(timeIntervalSince1970: seconds), parsed) == expected)
    }

    /// A client may have set such a date, and an export brings it back.
    @Test(arguments: [-1.5e8, 0, 4e9]) func whereMailLivesHereTheDateOfArrivalIsKept(_ seconds: Double) {
        let ours = PlausibleDate(now: Self.now, keepsArrival: true)
        let date = Date(timeIntervalSince1970: seconds)
        #expect(ours.received(date, message("Subject: x")) == date)
        #expect(ours.received(Date(timeIntervalSince1970: .nan), message("Subject: x")) == Self.now)
        var found = FoundMessage(bytes: Data(), place: nil, keywords: [], dates: [date])
        #expect(found.date(now: Self.now) == Self.now)
        found.targets = [.role(.inbox)]
        #expect(found.date(now: Self.now) == date)
    }

    @Test func thenTheSendersAndThenNow() {
        let nonsense = Date(timeIntervalSince1970: .nan)
        let sent = message(
            "Received: by a.example; Fri, 13 Nov 2099 12:00:00 +0000\r\nDate: Mon, 13 Nov 2023 12:00:00 +0000"
        )
        #expect(dates.received(nonsense, sent) == Date(timeIntervalSince1970: 1_699_876_800))
        #expect(dates.received(nonsense, message("Subject: x")) == Self.now)
        #expect(dates.received(nonsense, message("Date: never\r\nReceived: nonsense")) == Self.now)
        #expect(dates.received(nonsense, message("Date: Fri, 13 Nov 2099 12:00:00 +0000")) == Self.now)
    }

    @Test(arguments: [
        ("Fri, 13 Nov 2099 12:00:00 +0000", false), ("Thu, 13 Nov 1969 12:00:00 +0000", false),
        ("Thu, 1 Jan 1970 00:00:00 +0000", false), ("never", false),
        ("Mon, 13 Nov 2023 12:00:00 +0000", true),
    ]) func aDateOfSendingThatCannotBeIsNone(_ date: String, _ isKept: Bool) {
        let parsed = message("Date: \(date)")
        #expect((dates.header(of: parsed).sentAt != nil) == isKept)
    }

    /// Through a whole round, from a service that says all of it at once.
    @Test(arguments: [Double.nan, .infinity, -1e12, 4_000_000_000])
    func oneSuchMessageStopsNoOther(_ seconds: Double) async throws {
        let script = Script()
        let date = Date(timeIntervalSince1970: seconds)
        script.change { $0.receivedAt = { $0.isMultiple(of: 2) ? date : nil } }
        let test = try await TestKernel(
            messages: 6, isStarted: false, wrap: { ScriptedSession($0, script) })
        try await test.start()
        await test.settle()
        let ids = try await test.emailIDs()
        #expect(ids.count == 6)
        for id in ids {
            let email = try await test.email(id)
            #expect(PlausibleDate(now: test.clock.now).isPlausible(email.receivedAt))
        }
    }
}
