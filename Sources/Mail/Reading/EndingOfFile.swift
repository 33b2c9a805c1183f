import MessageFormat

/// The real extension of a file, however its name is displayed.
struct EndingOfFile {
    /// In lower case, in plain letters and without the dot; the likeliest first.
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
                } else if !scalar.isASCII, PlainLook.isDot(scalar) {
                    isHidden = true
                    plain.append(".")
                } else {
                    plain.append(scalar)
                }
            }
        }
        let whole = String(plain)
        for text in [whole, beforeZero].compactMap(\.self) {
            guard let ending = Self.ending(of: text) else { continue }
            let plain = Self.plain(ending)
            if plain != ending { isHidden = true }
            candidates.append(plain)
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
        guard let dot = clean.lastIndex(of: ".") else { return nil }
        // A stream of a file of Windows, and a version of one on a CD: `invoice.exe::$DATA`, `invoice.exe;1`.
        let ending = clean[clean.index(after: dot)...].prefix { $0 != ":" && $0 != ";" }
        let letters = ending.filter { !$0.isWhitespace }
        return letters.isEmpty ? nil : letters.lowercased()
    }

    /// Whether a character reverses the following text.
    private static func turns(_ value: UInt32) -> Bool {
        (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }

    private static func isDropped(_ letter: Character) -> Bool {
        letter == "." || letter.isWhitespace || letter == "\u{2800}" || letter == "\u{3164}"
    }

    /// In the letters that a reader sees.
    private static func plain(_ ending: String) -> String {
        ending.unicodeScalars.map { scalar in
            scalar.isMark ? "" : PlainLook(scalar)?.text ?? String(scalar)
        }.joined().lowercased()
    }
}
