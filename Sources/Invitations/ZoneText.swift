/// The lines of a zone that matter for an event of today.
///
/// libical lists every change of a zone from its first year to that of the event. Some programs let their rules begin in
/// 1601, and a sender may write rules without end.
struct ZoneText {
    /// Rules begin here at the latest; a leap year, so that each day of a year can be moved there.
    private static let firstYear = 1968
    /// Changes of one zone that are written one by one, or by a rule.
    private static let mostObservances = 16
    private static let mostDates = 100

    /// As events name it.
    let id: String
    private let head: [String]
    private let observances: [Observance]

    /// - Parameter lines: of one `VTIMEZONE`, from its beginning to its end.
    init?(_ lines: [String]) {
        guard let name = lines.first(where: { $0.uppercased().hasPrefix("TZID") }),
            let colon = name.firstIndex(of: ":")
        else { return nil }
        id = Self.plain(name[name.index(after: colon)...])
        var (head, open, observances): ([String], [String]?, [Observance]) = ([], nil, [])
        for line in lines.dropFirst().dropLast() {
            let word = line.uppercased()
            if word.hasPrefix("BEGIN:") {
                open = [line]
            } else if let started = open {
                open = started + [line]
                guard word.hasPrefix("END:") else { continue }
                if let one = Observance(started + [line]) { observances.append(one) }
                open = nil
            } else {
                head.append(line)
            }
        }
        // A zone that does not say its offset would count as UTC.
        if observances.isEmpty { return nil }
        self.head = head
        // The latest count today.
        self.observances = Array(observances.sorted { $0.end > $1.end }.prefix(Self.mostObservances))
    }

    var text: String {
        let inner = observances.flatMap { $0.lines(from: Self.firstYear, dates: Self.mostDates) }
        return (["BEGIN:VTIMEZONE"] + head + inner + ["END:VTIMEZONE"]).joined(separator: "\r\n") + "\r\n"
    }

    /// The zone that a property of an event names.
    static func named(in line: Substring) -> String? {
        guard let mark = line.firstRange(of: ";TZID=") ?? line.firstRange(of: ";tzid=") else { return nil }
        let rest = line[mark.upperBound...]
        let isQuoted = rest.first == "\""
        let name = isQuoted ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != ":" && $0 != ";" }
        return plain(name)
    }

    /// Without the marks of escaped characters.
    private static func plain(_ text: Substring) -> String {
        String(text.replacing("\\", with: "").trimmed)
    }
}

/// A `STANDARD` or `DAYLIGHT` of a zone.
private struct Observance {
    private let lines: [String]
    /// As they are written, which sorts by time.
    private let start: String
    let end: String

    init?(_ lines: [String]) {
        guard lines.contains(where: { $0.uppercased().hasPrefix("TZOFFSETTO") }),
            let start = lines.first(where: { $0.uppercased().hasPrefix("DTSTART") })?.split(separator: ":")
                .last
        else { return nil }
        (self.lines, self.start) = (lines, String(start.trimmed))
        if let rule = Self.rule(in: lines) {
            end = Self.value("UNTIL=", in: rule).map { String($0) } ?? "9999"
        } else {
            let dates = lines.filter { $0.uppercased().hasPrefix("RDATE") }
            let last = dates.compactMap { $0.split { ",:".contains($0) }.last }.map { String($0) }.max()
            end = last ?? self.start
        }
    }

    private static func rule(in lines: [String]) -> String? {
        lines.first { $0.uppercased().hasPrefix("RRULE") }
    }

    private static func value(_ name: String, in rule: String) -> Substring? {
        rule.uppercased().split { ";:".contains($0) }.first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }

    /// One rule, which begins in a year or later, and so many dates.
    func lines(from first: Int, dates: Int) -> [String] {
        let rule = Self.rule(in: lines)
        let moved = rule.flatMap { self.start(from: first, by: $0) }
        var left = dates
        return lines.filter { line in
            switch line.uppercased().prefix(5) {
            case "RRULE": return line == rule && moved != nil
            case "RDATE":
                left -= line.count { $0 == "," } + 1
                return left >= 0
            default: return true
            }
        }
        .map { $0.uppercased().hasPrefix("DTSTART") ? "DTSTART:" + (moved ?? start) : $0 }
    }

    /// When the rule begins, at the earliest in a year; nil if it has ended before.
    private func start(from first: Int, by rule: String) -> String? {
        guard let year = Int(start.prefix(4)) else { return nil }
        guard year < first else { return start }
        // What is counted from so long ago is no zone of today.
        if Self.value("COUNT=", in: rule) != nil { return nil }
        let until = Self.value("UNTIL=", in: rule).flatMap { Int($0.prefix(4)) }
        if let until, until < first { return nil }
        let interval = max(1, min(Self.value("INTERVAL=", in: rule).flatMap { Int($0) } ?? 1, 1000))
        let moved = year + (first - year + interval - 1) / interval * interval
        return String(moved) + start.dropFirst(4)
    }
}
