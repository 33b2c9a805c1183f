import Testing

@testable import StoreRules

/// The same for the same seed.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

@Suite("The words of a text") struct FoldingTests {
    /// The table only makes it fast: what it answers is what folding each word answers.
    private func expectSame(_ text: String) {
        let slowly = TextFolding.words(of: text).map(\.folded).filter { !$0.isEmpty }
        #expect(TextFolding.wordList(text) == slowly.joined(separator: " "))
    }

    @Test func areThoseOfFoldingOneByOneForEveryScalar() {
        var text = ""
        for value in 0x20...0x1_2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // Between letters, after a mark, and by itself.
            text.unicodeScalars.append(contentsOf: ["a", scalar, "b", " ", scalar, "\u{301}", " "])
            guard value % 512 == 511 else { continue }
            expectSame(text)
            text = ""
        }
        expectSame(text)
    }

    @Test(arguments: 0..<20) func areThoseOfFoldingOneByOneInRandomTexts(_ seed: UInt64) {
        var random = Numbers(state: seed)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xC0...0x24F, 0x300...0x36F, 0x370...0x3FF, 0x400...0x4FF, 0x590...0x6FF,
            0x900...0x97F, 0x1E00...0x1FFF, 0x3040...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3,
            0x1_F600...0x1_F64F,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<3_000 {
            let range = ranges[Int(random.next() % UInt64(ranges.count))]
            let value = range.lowerBound + UInt32(random.next() % UInt64(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
            if random.next() % 6 == 0 { text.append(" ") }
        }
        expectSame(String(text))
    }

    @Test(arguments: [
        ("Größe ΣΊΣΥΦΟΣ", "große σισυφοσ"), ("İstanbul", "istanbul"), ("e\u{301}te\u{301}", "ete"),
        ("がぎ", "かき"), ("\u{301} a", "a"), ("ＡＢ", "ａｂ"),
        ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
        ("a\u{0}b", "a b"), ("👋🏽 hi", "hi"), ("", ""),
    ])
    func areFolded(_ text: String, _ words: String) {
        #expect(Array(TextFolding.wordList(text).unicodeScalars) == Array(words.unicodeScalars))
    }
}
