import MailKernelAPI

/// Tells the user's own placeholders, such as `{company}`, from the braces of code that a template may contain.
///
/// In doubt it is a placeholder: a question too many is better than a message with a gap in it.
enum PlaceholderName {
    private static let signs: Set<Character> = [
        ";", ":", ",", "=", "(", ")", "[", "]", "<", ">", "\"", "`", "$", "\\", "|", "*", "+", "!", "^", "~",
    ]
    private static let statements: Set<Substring> = [
        "return", "throw", "yield", "await", "break", "continue", "const", "let", "var",
    ]
    private static let values: Set<Substring> = [
        "null", "nil", "none", "undefined", "true", "false", "this", "self", "result",
    ]

    /// - Parameter word: what stands between the braces, as a part of the text.
    static func isOne(_ word: Substring) -> Bool {
        !word.contains(where: signs.contains) && !isStatement(word) && !isBlock(word)
    }

    /// `return x`, but not `return address`.
    private static func isStatement(_ word: Substring) -> Bool {
        let words = word.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, statements.contains(first) else { return false }
        return words.dropFirst().allSatisfy { part in
            part.count == 1 || values.contains(part)
                || part.contains { $0.isUppercase || $0.isNumber || $0 == "_" || $0 == "." }
        }
    }

    /// The block of a function: `() {count}` or `=> {count}`.
    private static func isBlock(_ word: Substring) -> Bool {
        let before = word.base[..<word.startIndex].dropLast()
        guard let end = before.lastIndex(where: { !$0.isWhitespace }) else { return false }
        let sign = before[...end].suffix(2)
        return sign == "()" || sign == "=>" || sign == "->"
    }

    /// The HTML without what is formatted as code. It has been cleaned, so that all elements have an end.
    static func withoutCode(_ html: String) -> String {
        ["pre", "code"].reduce(html) { html, name in
            var (output, rest) = ("", html[...])
            while let start = rest.firstRange(of: "<\(name)"),
                let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
            {
                output += rest[..<start.lowerBound]
                rest = rest[end.upperBound...]
            }
            return output + rest
        }
    }
}
