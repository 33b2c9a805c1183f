/// What a character beyond ASCII looks like in plain letters and signs, by Unicode's tables.
package struct PlainLook: Sendable {
    /// Letters and signs of ASCII.
    package var text: String
    /// The marks on them.
    package var marks: [Unicode.Scalar]

    /// Nil for ASCII, and for what looks like no ASCII.
    package init?(_ scalar: Unicode.Scalar) {
        guard !scalar.isASCII else { return nil }
        let names = UnicodeNames.shared
        let written = String(scalar)
        // As it is written first: a capital may look like a letter that its small form does not look like.
        if let look = names.skeleton(of: written).flatMap(Self.init(skeleton:)) {
            self = look
        } else if let folded = names.readable(written),
            let look = Self(skeleton: folded) ?? names.skeleton(of: folded).flatMap(Self.init(skeleton:))
        {
            self = look
        } else {
            return nil
        }
    }

    private init?(skeleton: String) {
        marks = skeleton.unicodeScalars.filter(\.isMark)
        let letters = String(String.UnicodeScalarView(skeleton.unicodeScalars.filter { !$0.isMark }))
        // All dots above the line have this one's skeleton.
        text = letters == "\u{B7}" ? "." : letters
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    }

    /// Whether it is a dot, or a sign that looks like one.
    package static func isDot(_ sign: Unicode.Scalar) -> Bool {
        sign.isASCII ? sign == "." : sign.mayBeSign && dots.contains(sign)
    }

    /// Whether it is an at sign, or looks like one.
    static func isAtSign(_ sign: Unicode.Scalar) -> Bool {
        sign.isASCII ? sign == "@" : sign.mayBeSign && atSigns.contains(sign)
    }

    private static let dots = signs(like: ".").union(["\u{06D4}"])
    /// With the letters in circles.
    private static let atSigns = signs(like: "@").union(["\u{24D0}", "\u{24B6}"])

    private static func signs(like sign: String) -> Set<Unicode.Scalar> {
        Set(table.filter { $0.look == sign }.map(\.scalar))
    }

    /// Made once: names in mail may be long, and there may be many.
    private static let table: [(scalar: Unicode.Scalar, look: String)] = (0x80..<0x20000).compactMap {
        value in
        guard let scalar = Unicode.Scalar(UInt32(value)), scalar.mayBeSign, let look = PlainLook(scalar),
            look.marks.isEmpty
        else { return nil }
        return (scalar, look.text)
    }
}

extension Unicode.Scalar {
    /// A mark on the letter before it.
    package var isMark: Bool { [.nonspacingMark, .enclosingMark].contains(properties.generalCategory) }

    fileprivate var mayBeSign: Bool {
        switch properties.generalCategory {
        case .otherPunctuation, .dashPunctuation, .connectorPunctuation, .mathSymbol, .otherSymbol,
            .modifierSymbol,
            .decimalNumber, .otherNumber:
            true
        // Lisu and Canadian scripts have letters that are dots.
        case .otherLetter, .modifierLetter: value == 0xA4F8 || value == 0x1427
        default: false
        }
    }
}
