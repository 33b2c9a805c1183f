import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The words in braces that a template may contain, and what takes their place.
package struct Placeholders: Sendable {
    package static let names = ["first name", "name", "subject", "date"]

    private var values: [String: String] = [:]

    package init(to recipient: EmailAddress?, subject: String, at date: Date, in zone: TimeZone = .current) {
        if let name = recipient?.name.map(Self.trimmed), !name.isEmpty {
            values["name"] = name
            values["first name"] = Self.firstName(of: name)
        }
        if !Self.trimmed(subject).isEmpty { values["subject"] = Self.trimmed(subject) }
        values["date"] = Self.day(of: date, in: zone)
    }

    /// Those without a value stay, so that the user sees them.
    package func filled(_ text: String) -> String {
        replaced(in: text) { $0 }
    }

    package func filled(html: String) -> String {
        replaced(in: html, ComposedHTML.escaped)
    }

    /// The placeholders that are left in what the user wrote, as they are written there.
    ///
    /// - Parameter own: names of others, in small letters.
    package static func left(in text: String, besides own: Set<String> = []) -> [String] {
        var seen: Set<String> = []
        let found = inBraces(text).filter { word in
            let name = word.lowercased()
            let isOne = names.contains(name) || own.contains(name) && PlaceholderName.isOne(word)
            return isOne && seen.insert(name).inserted
        }
        return found.prefix(mostLeft).map { "{\($0)}" }
    }

    /// The names of placeholders that nothing fills in, in small letters.
    static func own(in text: String) -> Set<String> {
        Set(inBraces(text).filter(PlaceholderName.isOne).map { $0.lowercased() }).subtracting(names)
    }

    private static let mostLeft = 20
    private static let longestName = 100

    private static func inBraces(_ text: String) -> [Substring] {
        text.split(separator: "{").dropFirst(text.first == "{" ? 0 : 1)
            .compactMap { $0.firstIndex(of: "}").map($0.prefix(upTo:)) }
            .filter { word in
                (1...longestName).contains(word.utf8.count) && !word.contains(where: \.isNewline)
                    && !word.allSatisfy(\.isWhitespace)
            }
    }

    private func replaced(in text: String, _ written: (String) -> String) -> String {
        var output = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            output += rest[..<start]
            rest = rest[start...]
            let name = rest.dropFirst().prefix { $0 != "}" && $0 != "{" }
            if name.endIndex < rest.endIndex, rest[name.endIndex] == "}",
                let value = values[name.lowercased()]
            {
                output += written(value)
                rest = rest[rest.index(after: name.endIndex)...]
            } else {
                output.append("{")
                rest = rest.dropFirst()
            }
        }
        return output + rest
    }

    /// “Lovelace, Ada” is Ada too.
    private static func firstName(of name: String) -> String {
        let sides = name.split(separator: ",", maxSplits: 1).map { trimmed(String($0)) }
        let given = sides.count == 2 && !sides[1].isEmpty ? sides[1] : name
        return given.split(separator: " ").first.map(String.init) ?? given
    }

    private static func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    private static func day(of date: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.day, .month, .year], from: date)
        return "\(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12]) \(parts.year ?? 1970)"
    }
}
