/// How two texts are compared (RFC 4790).
enum Comparator: String {
    case octet = "i;octet"
    case casemap = "i;ascii-casemap"
    case numeric = "i;ascii-numeric"

    /// The text in a form that can be compared byte by byte.
    func folded(_ text: Bytes) -> Bytes {
        self == .casemap ? text.map(\.raised) : text
    }

    /// Below, at or above 0, as the first text is before, equal to or after the second one. Both are folded.
    func order(_ one: Bytes, _ other: Bytes) -> Int {
        guard self == .numeric else { return Self.order(one, other) }
        switch (Self.digits(one), Self.digits(other)) {
        case (nil, nil): return 0
        case (nil, _): return 1
        case (_, nil): return -1
        case (let one?, let other?):
            return one.count == other.count ? Self.order(one, other) : one.count - other.count
        }
    }

    /// The number at the beginning, without zeros before it; nil, which stands for infinity, if there is none.
    private static func digits(_ text: Bytes) -> Bytes? {
        guard text.first?.isDigit == true else { return nil }
        return Bytes(text.prefix { $0.isDigit }.drop { $0 == UInt8(ascii: "0") })
    }

    private static func order(_ one: Bytes, _ other: Bytes) -> Int {
        if one == other { return 0 }
        return one.lexicographicallyPrecedes(other) ? -1 : 1
    }
}

/// The relations of RFC 5231.
enum Relation: String {
    case above = "gt"
    case notBelow = "ge"
    case below = "lt"
    case notAbove = "le"
    case equal = "eq"
    case unequal = "ne"

    func holds(_ order: Int) -> Bool {
        switch self {
        case .above: order > 0
        case .notBelow: order >= 0
        case .below: order < 0
        case .notAbove: order <= 0
        case .equal: order == 0
        case .unequal: order != 0
        }
    }
}
