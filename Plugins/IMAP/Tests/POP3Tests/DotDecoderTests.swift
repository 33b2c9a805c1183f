import FoundationEssentials
import Testing

@testable import POP3

/// ACC-113: where a message ends.
@Suite("The end of a POP3 message") struct DotDecoderTests {
    private static let cases: [(wire: String, text: String, rest: String)] = [
        (".\r\n+OK", "", "+OK"), ("a\r\n.\r\n", "a\r\n", ""), ("..\r\n.\r\n", ".\r\n", ""),
        (".a\r\n..b\r\n.\r\nrest", "a\r\n.b\r\n", "rest"), ("a.\r\n.\r\n", "a.\r\n", ""),
        // Only CR LF ends a line.
        ("a\n.\nb\r\n.\r\n", "a\n.\nb\r\n", ""), ("a\n.\r\nb\r\n.\r\n", "a\n.\r\nb\r\n", ""),
        (".\rb\r\n.\r\n", "\rb\r\n", ""), ("a\r.\r\n.\r\n", "a\r.\r\n", ""),
    ]

    @Test(arguments: cases.indices, [1, 2, 3, 1_000]) func isFound(_ index: Int, _ piece: Int) {
        let (wire, text, rest) = Self.cases[index]
        var decoder = DotDecoder()
        var (content, left) = (Data(), Data(wire.utf8))
        while !decoder.isAtEnd, !left.isEmpty {
            let (bytes, used) = decoder.decode(Data(left.prefix(piece)))
            content += bytes
            left = Data(left.dropFirst(used))
        }
        #expect(decoder.isAtEnd)
        #expect(String(decoding: content, as: UTF8.self) == text)
        #expect(String(decoding: left, as: UTF8.self) == rest)
    }

    private static let dates: [(String, Double?)] = [
        ("Tue, 14 Nov 2023 22:13:20 +0000", 1_700_000_000),
        ("14 Nov 2023 23:13:20 +0100 (CET)", 1_700_000_000),
        ("Tue, 14 Nov 23 17:13:20 EST", 1_700_000_000), ("1 Jan 1970 00:00 GMT", 0),
        ("29 Feb 2024 00:00:00 +0000", 1_709_164_800),
        ("yesterday", nil), ("", nil), ("Tue, 99 Nov 2023 22:13:20 +0000", nil), ("14 Nov 2023", nil),
    ]

    @Test(arguments: dates.indices) func datesAreRead(_ index: Int) {
        let (text, seconds) = Self.dates[index]
        #expect(ArrivalDate.read(text[...])?.timeIntervalSince1970 == seconds)
    }

    @Test func aDateInTheFutureIsNow() {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(ArrivalDate.of(received: "x; 14 Nov 2033 22:13:20 +0000", sent: nil, now: now) == now)
        #expect(ArrivalDate.of(received: nil, sent: nil, now: now) == now)
    }
}
