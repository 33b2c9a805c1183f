public import FoundationEssentials
public import MailKernelAPI

/// Dates in JSON: `2014-10-30T06:12:00Z`.
public enum JSONDate {
    /// Nil if the text is not a date.
    public static func read(_ text: String) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        if let date = try? Date(text, strategy: .iso8601) { return date }
        // With a fraction of a second, which some servers send.
        guard let dot = text.firstIndex(of: ".") else { return nil }
        let rest = text[text.index(after: dot)...].drop(while: \.isNumber)
        return try? Date(String(text[..<dot]) + rest, strategy: .iso8601)
    }

    public static func write(_ date: Date) -> JSONValue { .string(date.formatted(.iso8601)) }
}
