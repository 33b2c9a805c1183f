/// A length of a style, in pixels of an ordinary window.
enum StyleLength {
    /// - Parameter base: what `em` and percentages are of.
    /// - Returns: nil for words, such as `auto`; 0 for a calculation that may have this result.
    static func pixels(_ value: some StringProtocol, of base: Double = 16) -> Double? {
        let text = value.lowercased().trimmingBlanks()
        if let open = text.firstIndex(of: "(") { return smallest(text[open...], base) }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        var number = digits
        var unit = text[digits.endIndex...]
        // An exponent.
        if unit.first == "e", let next = unit.dropFirst().first, next.isNumber || "+-".contains(next) {
            let exponent = unit.dropFirst().prefix { $0.isNumber || "+-".contains($0) }
            number = text[..<exponent.endIndex]
            unit = text[exponent.endIndex...]
        }
        if number.first == "+" { number.removeFirst() }
        if number.last == "." { number.removeLast() }
        guard let amount = Double(number), let factor = factor(String(unit), base) else { return nil }
        return amount * factor
    }

    private static func factor(_ unit: String, _ base: Double) -> Double? {
        switch unit {
        case "%": base / 100
        case "em": base
        case "ex", "ch": base / 2
        default: factors[unit]
        }
    }

    private static let factors: [String: Double] = [
        "": 1, "px": 1, "pt": 4 / 3, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945, "rem": 16,
        "vw": 10, "vh": 8, "vmin": 8, "vmax": 10,
    ]

    /// The smallest number of a calculation that can only add and compare.
    private static func smallest(_ text: Substring, _ base: Double) -> Double {
        let words = text.split { $0.isWhitespace || "(),".contains($0) }
        guard !words.contains(where: { "*/-".contains($0.prefix(1)) || $0.contains { "*/".contains($0) } })
        else { return 0 }
        return words.compactMap { pixels($0, of: base) }.min() ?? 0
    }
}
