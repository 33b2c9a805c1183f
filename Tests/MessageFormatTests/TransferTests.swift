import FoundationEssentials
import TestSupport
import Testing

@testable import MessageFormat

@Suite("Transfer encodings") struct TransferTests {
    private static let pieces = [
        "QUJD", "QUI=", "QQ==", "\r\n", "=", " ", "*", "--\r\n", "+/9a", "ZZZZ", "____\r\n", "a-_b",
        "To leave this list, write to us.\r\n",
        String(repeating: "Q", count: 76) + "\r\n",
    ]

    /// What is only counted is as long as what is decoded, wherever padding and stray bytes are.
    @Test(arguments: 0..<200) func base64IsCountedAsItIsDecoded(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var text = ""
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
            text += Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
        }
        let bytes = Data(text.utf8)
        #expect(
            TransferEncoding.base64.decodedCount(bytes.span) == TransferEncoding.base64.decoded(bytes).count)
    }

    @Test(arguments: [
        ("YWJj\r\n____________\r\nlist mailing list\r\n", "abc"),
        ("YWJj\r\n-- \r\nAna\r\n", "abc"), ("YWJj\r\nTo leave, write to us.\r\n", "abc"),
        ("YW*Jj\r\nZGVm", "abcdef"), ("Pj4-Pz8_", ">>>???"), ("Pj4+Pz8/", ">>>???"),
        ("\u{FEFF}YWJj", "abc"),
    ]) func base64EndsWhereAFooterBegins(_ encoded: String, _ decoded: String) {
        #expect(TransferEncoding.base64.decoded(Data(encoded.utf8)) == Data(decoded.utf8))
        #expect(TransferEncoding.base64.decodedCount(Data(encoded.utf8).span) == decoded.utf8.count)
    }

    @Test(arguments: ["base64 (comment)", "(a (nested) comment) BASE64", "base64;", "\"base64\""])
    func aCommentIsNoPartOfTheName(_ name: String) {
        #expect(TransferEncoding(name: name) == .base64)
    }

    @Test func aLargeFileIsCounted() {
        let file = Data((0..<100_001).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let encoded = Data(
            file.base64EncodedString(options: [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ]).utf8)
        #expect(TransferEncoding.base64.decodedCount(encoded.span) == 100_001)
    }
}
