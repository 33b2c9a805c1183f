/// The real extension of a file, however its name is displayed.
struct EndingOfFile {
    /// In lower case and without the dot; the likeliest first.
    private(set) var candidates: [String] = []
    /// The name is made so that the ending is not seen.
    private(set) var isHidden = false
    /// The name contains characters that change the display order or hide the rest.
    private(set) var isReordered = false

    init(_ name: String) {
        var plain = String.UnicodeScalarView()
        var beforeZero: String?
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar.value == 0:
                beforeZero = beforeZero ?? String(plain)
                isHidden = true
                isReordered = true
            case .format where Self.turns(scalar.value):
                isHidden = true
                isReordered = true
            case .control, .format, .lineSeparator, .paragraphSeparator: isHidden = true
            default:
                if scalar.properties.isDefaultIgnorableCodePoint {
                    isHidden = true
                } else if Self.dots.contains(scalar.value) {
                    isHidden = true
                    plain.append(".")
                } else {
                    plain.append(scalar)
                }
            }
        }
        let whole = String(plain)
        for text in [whole, beforeZero].compactMap(\.self) {
            if let ending = Self.ending(of: text) { candidates.append(ending) }
        }
        // `invoice.pdf            .exe`: text far to the right is off the screen.
        let blanks = whole.split { !$0.isWhitespace && $0 != "\u{2800}" && $0 != "\u{3164}" }
        if blanks.contains(where: { $0.count > 3 }) { isHidden = true }
        if let last = whole.last, Self.isDropped(last) { isHidden = true }
    }

    /// Windows drops dots and blanks at the end of a name.
    private static func ending(of name: String) -> String? {
        var clean = name[...]
        while let last = clean.last, isDropped(last) { clean = clean.dropLast() }
        // A stream of a file of Windows: `invoice.exe::$DATA`.
        if let stream = clean.range(of: "::$")?.lowerBound { clean = clean[..<stream] }
        guard let dot = clean.lastIndex(of: ".") else { return nil }
        let ending = clean[clean.index(after: dot)...].filter { !$0.isWhitespace }
        return ending.isEmpty ? nil : latin(String(ending)).lowercased()
    }

    /// Whether a character reverses the following text.
    private static func turns(_ value: UInt32) -> Bool {
        (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }

    private static func isDropped(_ letter: Character) -> Bool {
        letter == "." || letter.isWhitespace || letter == "\u{2800}" || letter == "\u{3164}"
    }

    /// Full-width letters as the ones that they stand for.
    private static func latin(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isWide = (0xFF01...0xFF5E).contains(scalar.value)
            plain.append(isWide ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar)
        }
        return String(plain)
    }

    /// Signs that look like a dot.
    private static let dots: Set<UInt32> = [
        0xFF0E, 0x3002, 0xFF61, 0x2024, 0xFE52, 0x06D4, 0x0701, 0x0702, 0xA4F8, 0xA60E,
    ]
}

extension Substring {
    fileprivate func range(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
