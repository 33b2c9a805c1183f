/// Whether the rules of an `@media` are about the window in which a message is usually read.
enum MediaQuery {
    enum Answer { case applies, doesNot, unknown }

    /// Those of a desktop, in pixels; its colors are light.
    private static let width = 1000.0

    static func answer(_ prelude: Substring) -> Answer {
        let list = prelude.lowercased().dropFirst("@media".count)
        let queries = StyleFilter.pieces(of: String(list), at: UInt8(ascii: ",")).map(one)
        if queries.contains(.applies) { return .applies }
        return queries.contains(.unknown) ? .unknown : .doesNot
    }

    private static func one(_ query: Substring) -> Answer {
        // No blank is needed beside a bracket.
        var words = query.replacing("(", with: " (").replacing(")", with: ") ")
            .split { $0.isWhitespace }.joined(separator: " ").components(" and ")
        if words.first?.hasPrefix("only ") == true { words[0].removeFirst("only ".count) }
        let answers = words.map { word in
            if word.hasPrefix("(") { return feature(word.dropFirst().dropLast()) }
            if ["", "all", "screen"].contains(word) { return Answer.applies }
            return word.allSatisfy { $0.isLetter } && word != "not" ? .doesNot : .unknown
        }
        if answers.contains(.doesNot), !answers.contains(.unknown) { return .doesNot }
        return answers.allSatisfy { $0 == .applies } ? .applies : .unknown
    }

    private static func feature(_ text: Substring) -> Answer {
        let parts = text.split(separator: ":", maxSplits: 1).map { $0.trimmingBlanks() }
        guard parts.count == 2 else { return .unknown }
        switch parts[0] {
        case "prefers-color-scheme":
            return parts[1] == "light" ? .applies : parts[1] == "dark" ? .doesNot : .unknown
        case "min-width", "min-device-width":
            return plain(parts[1]).map { width >= $0 ? .applies : .doesNot } ?? .unknown
        case "max-width", "max-device-width":
            return plain(parts[1]).map { width <= $0 ? .applies : .doesNot } ?? .unknown
        default: return .unknown
        }
    }

    private static func plain(_ length: String) -> Double? {
        length.contains("(") ? nil : StyleLength.pixels(length)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map { $0.trimmingBlanks() }
    }
}
