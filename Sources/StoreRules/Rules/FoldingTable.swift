/// Maps each scalar to its form in a word list: nothing at word boundaries, otherwise its lowercase letters
/// without diacritics. Cached for the most common scalars, because a mailbox has billions of characters.
struct FoldingTable: Sendable {
    /// Latin, Greek, Cyrillic, Arabic, Indic, Hangul Jamo, signs, Kana.
    static let limit: UInt32 = 0x3100
    static let shared = FoldingTable()

    private static let ends: UInt8 = 0xFF
    /// The bytes of a scalar begin at eight times its number; how many there are is in `counts`.
    private let bytes: [UInt8]
    private let counts: [UInt8]

    private init() {
        var bytes = [UInt8](repeating: 0, count: Int(Self.limit) * 8)
        var counts = [UInt8](repeating: Self.ends, count: Int(Self.limit))
        for value in 0..<Self.limit {
            guard let scalar = Unicode.Scalar(value), TextFolding.isPartOfWord(scalar) else { continue }
            // No letter below the limit decomposes into more bytes.
            let folded = Self.folded(scalar).prefix(8)
            counts[Int(value)] = UInt8(folded.count)
            for (index, byte) in folded.enumerated() { bytes[Int(value) * 8 + index] = byte }
        }
        self.bytes = bytes
        self.counts = counts
    }

    private static func folded(_ scalar: Unicode.Scalar) -> [UInt8] {
        Array(TextFolding.fold(String(scalar)).utf8)
    }

    /// Appends what becomes of a scalar; false if it is no part of a word.
    func append(_ scalar: Unicode.Scalar, to list: inout [UInt8], dividing isFirst: inout Bool) -> Bool {
        guard scalar.value < Self.limit else { return appendRare(scalar, to: &list, dividing: &isFirst) }
        let count = counts[Int(scalar.value)]
        guard count != Self.ends else { return false }
        guard count > 0 else { return true }
        Self.divide(&list, &isFirst)
        let start = Int(scalar.value) * 8
        for index in start..<(start + Int(count)) { list.append(bytes[index]) }
        return true
    }

    private func appendRare(
        _ scalar: Unicode.Scalar, to list: inout [UInt8], dividing isFirst: inout Bool
    ) -> Bool {
        // Chinese characters stand for themselves.
        let isPlain = (0x4E00...0x9FFF).contains(scalar.value)
        guard isPlain || TextFolding.isPartOfWord(scalar) else { return false }
        if isPlain {
            Self.divide(&list, &isFirst)
            list.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            return true
        }
        let folded = Self.folded(scalar)
        guard !folded.isEmpty else { return true }
        Self.divide(&list, &isFirst)
        list.append(contentsOf: folded)
        return true
    }

    private static func divide(_ list: inout [UInt8], _ isFirst: inout Bool) {
        if isFirst, !list.isEmpty { list.append(UInt8(ascii: " ")) }
        isFirst = false
    }
}
