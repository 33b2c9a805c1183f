/// A rule by which an event repeats (RFC 5545, section 3.3.10).
struct RecurrenceRule {
    enum Frequency: String {
        case secondly, minutely, hourly, daily, weekly, monthly, yearly
    }

    struct Weekday: Equatable {
        /// 0 for each of them; negative from the end.
        var position: Int
        /// From Monday, 0.
        var day: Int
    }

    var frequency: Frequency
    var interval = 1
    var count: Int?
    var days: [Weekday] = []
    var monthDays: [Int] = []
    var months: [Int] = []
    var positions: [Int] = []
    /// It has parts that neither words nor the list of occurrences cover.
    private(set) var isUnusual = false

    private static let dayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    init?(_ text: String) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let (key, value) = part.halves(at: "=")
            parts[String(key)] = String(value)
        }
        guard let frequency = parts["FREQ"].flatMap({ Frequency(rawValue: $0.lowercased()) }) else {
            return nil
        }
        self.frequency = frequency
        interval = max(1, parts["INTERVAL"].flatMap { Int($0) } ?? 1)
        count = parts["COUNT"].flatMap { Int($0) }
        days = (parts["BYDAY"] ?? "").split(separator: ",").compactMap(Self.weekday)
        monthDays = Self.numbers(parts["BYMONTHDAY"])
        months = Self.numbers(parts["BYMONTH"]).filter { (1...12).contains($0) }
        positions = Self.numbers(parts["BYSETPOS"])
        let known: Set = [
            "FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST",
        ]
        isUnusual = parts.keys.contains { !known.contains($0) }
    }

    private static func weekday(_ text: Substring) -> Weekday? {
        guard let day = dayNames.firstIndex(of: String(text.suffix(2))) else { return nil }
        return Weekday(position: Int(text.dropLast(2)) ?? 0, day: day)
    }

    private static func numbers(_ text: String?) -> [Int] {
        (text ?? "").split(separator: ",").compactMap { Int($0) }
    }

    /// Whether listing its occurrences takes a bounded time: libical would search a rule of seconds that never applies
    /// for hundreds of years.
    var isListable: Bool {
        switch frequency {
        case .secondly, .minutely, .hourly: false
        default: !isUnusual && interval <= 1000 && (count ?? 0) <= 10_000
        }
    }
}
