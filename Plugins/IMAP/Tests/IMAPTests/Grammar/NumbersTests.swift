import FoundationEssentials
import Testing

@testable import IMAP

@Suite("Numbers, sets and dates are read") struct NumbersTests {
    @Test(
        arguments: [
            ("5", [5...5]), ("1:3,2:7", [1...7]), ("9,1:2,3", [1...3, 9...9]), ("7:4", [4...7]),
            ("4294967295", [UInt32.max...UInt32.max]),
            ("3:*", [3...UInt32.max]), ("*", [UInt32.max...UInt32.max]), ("1:4294967295,5", [1...UInt32.max]),
        ] as [(String, [ClosedRange<UInt32>])])
    func setsAreReadAndOrdered(_ text: String, _ ranges: [ClosedRange<UInt32>]) throws {
        var scanner = ByteScanner(text)
        #expect(try scanner.uidSet().ranges == ranges)
        #expect(scanner.isAtEnd)
    }

    @Test(arguments: ["", "x", "1:", ",1", "1,", "4294967296", "1:2:"]) func otherSetsAreRefused(
        _ text: String
    ) {
        #expect(throws: ParseError.self) {
            var scanner = ByteScanner("* VANISHED \(text)")
            _ = try scanner.response()
            if !scanner.isAtEnd { throw scanner.failure("the end") }
        }
    }

    @Test func setsAnswerQuestions() {
        let set = UIDSet([3, 1, 2, 9, 11, 10] as [UInt32])
        #expect(set.wire == "1:3,9:11")
        #expect(set.count == 6 && set.first == 1 && set.last == 11)
        #expect((0...13).filter { set.contains($0) } == [1, 2, 3, 9, 10, 11])
        #expect(set.limited(to: 2...9).wire == "2:3,9")
        #expect(set.union(UIDSet(4...8)).wire == "1:11")
        #expect(set.descending == [11, 10, 9, 3, 2, 1])
        #expect(UIDSet().wire == "" && UIDSet().isEmpty && !UIDSet().contains(1))
    }

    @Test(
        arguments: [
            ("17-Jul-1996 02:44:25 -0700", 837_596_665), (" 1-Jan-1970 00:00:00 +0000", 0),
            ("01-Mar-2000 12:00:00 +0530", 951_892_200),
            ("29-Feb-2024 23:59:60 +0000", 1_709_251_200), ("31-Dec-1969 23:59:59 +0000", -1),
            ("5-feb-2020", 1_580_860_800), ("5-Feb-2020 01:02:03", 1_580_864_523),
            // A time zone that is none.
            ("1-Jan-1970 00:00:00 -9223372036854775808", 0), ("1-Jan-1970 00:00:00 +2400", 0),
        ] as [(String, Double)])
    func datesAreRead(_ text: String, _ seconds: Double) {
        #expect(IMAPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "x", "1-Foo-2020 00:00:00 +0000", "32-Jan-2020", "1-Jan-20200", "1-Jan-2020 25:00:00",
        "1-Jan-2020 1:2", "--", "1-Jan",
    ])
    func otherTextsAreNoDates(_ text: String) {
        #expect(IMAPDate.parse(text) == nil)
    }

    @Test(arguments: [0, 837_596_665, 951_892_200, -1, 253_402_300_799, 1_709_251_199] as [Double])
    func datesAreWrittenAsTheyAreRead(_ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(IMAPDate.parse(IMAPDate.dateTime(date)) == date)
    }

    @Test func datesBeyondTheCalendarAreClamped() {
        #expect(IMAPDate.day(Date(timeIntervalSince1970: .infinity)) == "1-Jan-1970")
        #expect(IMAPDate.day(.distantFuture).hasSuffix("4001"))
        #expect(IMAPDate.dateTime(Date(timeIntervalSince1970: 1e20)) == "31-Dec-9999 23:59:59 +0000")
        #expect(IMAPDate.day(Date(timeIntervalSince1970: 1_700_000_000)) == "14-Nov-2023")
    }

    @Test func searchesAreRead() throws {
        #expect(try read("* SEARCH") == .untagged(.search([], modSeq: nil)))
        #expect(
            try read("* SEARCH 2 3 6 (MODSEQ 917162500)")
                == .untagged(.search([2, 3, 6], modSeq: 917_162_500)))
        #expect(
            try read("* ESEARCH (TAG \"A1\") UID MIN 2 MAX 13 ALL 2:6,9:13 COUNT 10 RELEVANCY (2 3) MODSEQ 5")
                == .untagged(
                    .extendedSearch(
                        ExtendedSearch(
                            tag: "A1", all: UIDSet([2...6, 9...13]), count: 10, min: 2, max: 13, modSeq: 5))))
        #expect(
            try read("* ESEARCH (TAG \"A1\") UID") == .untagged(.extendedSearch(ExtendedSearch(tag: "A1"))))
        #expect(throws: ParseError.self) { try read("* SEARCH 1 x") }
        #expect(throws: ParseError.self) { try read("* ESEARCH ALL") }
    }

    @Test func vanishedMessagesAreRead() throws {
        #expect(
            try read("* VANISHED (EARLIER) 2:4,7")
                == .untagged(.vanished(UIDSet([2...4, 7...7]), earlier: true)))
        #expect(try read("* vanished 5") == .untagged(.vanished(UIDSet([5]), earlier: false)))
    }
}
