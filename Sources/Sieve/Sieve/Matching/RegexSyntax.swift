/// A regular expression as read: the extended ones of POSIX.
indirect enum RegexNode {
    case empty
    case character(UInt32)
    case any
    case set(RegexSet)
    case begin
    case end
    case boundary(RegexBoundary)
    case group(RegexNode, number: Int)
    case sequence([RegexNode])
    case choice([RegexNode])
    case repeated(RegexNode, least: Int, most: Int?)
}

/// Where a word begins or ends, as GNU's expressions have it.
enum RegexBoundary {
    case word
    case notWord
    case start
    case end
}

/// A bracket expression.
struct RegexSet {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ scalar: UInt32, ignoringCase: Bool) -> Bool {
        let isIncluded =
            includes(scalar) || ignoringCase && (includes(scalar.lowered) || includes(scalar.raised))
        return isIncluded != isNegated
    }

    private func includes(_ scalar: UInt32) -> Bool { ranges.contains { $0.contains(scalar) } }

    mutating func add(_ characters: String) {
        for scalar in characters.unicodeScalars { ranges.append(scalar.value...scalar.value) }
    }

    /// The classes of POSIX in the "C" locale.
    static func named(_ name: String) -> RegexSet? {
        let ranges: [String: [ClosedRange<UInt32>]] = [
            "alpha": [0x41...0x5a, 0x61...0x7a], "digit": [0x30...0x39], "upper": [0x41...0x5a],
            "alnum": [0x30...0x39, 0x41...0x5a, 0x61...0x7a], "lower": [0x61...0x7a],
            "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66], "space": [0x09...0x0d, 0x20...0x20],
            "blank": [0x09...0x09, 0x20...0x20],
            "punct": [0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e],
            "print": [0x20...0x7e], "graph": [0x21...0x7e], "cntrl": [0x00...0x1f, 0x7f...0x7f],
        ]
        return ranges[name].map { RegexSet(ranges: $0) }
    }

    static var word: RegexSet {
        RegexSet(ranges: [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
    }
}

extension UInt32 {
    var lowered: UInt32 { self >= 0x41 && self <= 0x5a ? self + 0x20 : self }
    var raised: UInt32 { self >= 0x61 && self <= 0x7a ? self - 0x20 : self }
    var isWord: Bool {
        self >= 0x30 && self <= 0x39 || lowered >= 0x61 && lowered <= 0x7a || self == 0x5f
    }
}
