import FoundationEssentials

/// Turns a model's output into harmless plain text.
///
/// A message may have manipulated the model. Its output is shown as plain words: no markup, no links, nothing
/// invisible, and no more than requested.
enum SafeText {
    /// As many code points as the longest letters have; a mark can be stacked on them without end.
    private static let longestLetter = 12

    /// One line of words, or nil if there is nothing left to show, or if it holds something to follow.
    static func line(_ text: String, limit: Int) -> String? {
        let words = visible(text).split(whereSeparator: \.isWhitespace)
        let line = words.joined(separator: " ")
        guard !line.isEmpty, isShort(line, limit), !leadsSomewhere(line), !looksLikeMarkup(line) else {
            return nil
        }
        return line
    }

    /// Several sentences, without those that lead somewhere.
    static func prose(_ text: String, limit: Int) -> String? {
        let sentences = Sentences.of(visible(text)).filter { !leadsSomewhere($0) && !looksLikeMarkup($0) }
        var prose = ""
        for sentence in sentences {
            let longer = prose.isEmpty ? sentence : prose + " " + sentence
            guard isShort(longer, limit) else { break }
            prose = longer
        }
        return prose.isEmpty ? nil : prose
    }

    private static func isShort(_ text: String, _ limit: Int) -> Bool {
        text.count <= limit && text.allSatisfy { $0.unicodeScalars.count <= longestLetter }
    }

    /// Whether there is an address in it: of a page, of a person, or a number to call.
    static func leadsSomewhere(_ text: String) -> Bool {
        let lower = text.lowercased()
        if lower.contains("://") || lower.contains("www.") || lower.contains("@") { return true }
        if digitRun(lower) >= 7 { return true }
        return lower.split(whereSeparator: \.isWhitespace).contains { isHost($0) }
    }

    /// The end of a model's turn, a tag, a piece of code.
    private static func looksLikeMarkup(_ text: String) -> Bool {
        text.contains { "<>{}[]|\\`".contains($0) }
    }

    /// A word such as `example.org` or `example.org/path`; “z.B.” and “10.30” are none.
    private static func isHost(_ word: Substring) -> Bool {
        let name = word.prefix { $0 != "/" && $0 != "?" && $0 != ":" }
            .trimming { !$0.isLetter && !$0.isNumber }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy(\.isLetter),
            labels.dropLast().allSatisfy({ !$0.isEmpty })
        else { return false }
        // “p.ex.” is none, and “t.co/x” is one: a path makes up for a short name.
        return labels[labels.count - 2].count >= 2 || word.contains("/")
    }

    /// Digits in a row, with the signs that telephone numbers have between them.
    private static func digitRun(_ text: String) -> Int {
        var (longest, run) = (0, 0)
        for character in text.unicodeScalars {
            switch character {
            case "0"..."9":
                run += 1
                longest = max(longest, run)
            case " ", "-", "/", "(", ")", "+", ".": continue
            default: run = 0
            }
        }
        return longest
    }

    private static func visible(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(20_000) {
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .surrogate, .unassigned:
                if scalar == "\n" || scalar == "\t" || scalar == "\r" { scalars.append(" ") }
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

extension Substring {
    fileprivate func trimming(_ isUnwanted: (Character) -> Bool) -> Substring {
        var rest = self
        while let first = rest.first, isUnwanted(first) { rest = rest.dropFirst() }
        while let last = rest.last, isUnwanted(last) { rest = rest.dropLast() }
        return rest
    }
}
