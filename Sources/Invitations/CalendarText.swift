/// The lines of a calendar that an invitation needs, within limits.
///
/// libical reads what remains: no component deeper than an invitation has, no property that is not shown, nothing of a
/// size or number that costs time or memory.
struct CalendarText {
    static let mostBytes = 2_000_000
    /// Attendees and dates of one event, and rules of one zone.
    static let mostOfOneKind = 1000
    static let mostEvents = 200
    private static let mostZones = 6
    private static let mostLinesOfZones = 5000
    /// A longer line, such as an attached file, is left out; a longer text is cut.
    private static let longestLine = 8000
    private static let longestText = 60_000

    /// What is kept, one calendar with its end.
    private(set) var text = ""
    /// There were more events or attendees than are kept.
    private(set) var isCut = false

    private var open: [String] = []
    /// The lines of the zone or event that is being read.
    private var block: [String] = []
    private var counts: [String: Int] = [:]
    /// By their names, the first of each.
    private var zones: [String: ZoneText] = [:]
    private var linesOfZones = 0
    /// The zones that events name.
    private var named: [String] = []
    private var events = 0
    private var isClosed = false
    /// How many components that are not needed are open.
    private var skipped = 0

    /// - Parameter text: as decoded from the part, with its lines unfolded.
    /// - Returns: nil if it is not a calendar, or has no end.
    init?(unfolded text: String) {
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) where !isClosed {
            read(line)
        }
        guard isClosed, events > 0 else { return nil }
    }

    private mutating func read(_ line: Substring) {
        guard let end = line.firstIndex(where: { $0 == ":" || $0 == ";" }) else { return }
        let name = line[..<end].uppercased()
        if name == "BEGIN" {
            begin(line[end...].dropFirst().trimmed.uppercased())
        } else if name == "END" {
            finish(line[end...].dropFirst().trimmed.uppercased())
        } else if skipped == 0, let component = open.last {
            keep(line, name, in: component)
        }
    }

    private mutating func begin(_ name: String) {
        let isNeeded =
            switch open.count {
            case 0: name == "VCALENDAR"
            case 1:
                name == "VEVENT" && events < Self.mostEvents
                    || name == "VTIMEZONE" && linesOfZones < Self.mostLinesOfZones
            case 2: open[1] == "VTIMEZONE" && (name == "STANDARD" || name == "DAYLIGHT")
            default: false
            }
        if open.count == 1, name == "VEVENT", !isNeeded { isCut = true }
        guard isNeeded, skipped == 0 else {
            skipped += 1
            return
        }
        open.append(name)
        if open.count == 1 {
            text += "BEGIN:VCALENDAR\r\n"
            return
        }
        if open.count == 2 { (block, counts) = ([], [:]) }
        block.append("BEGIN:\(name)")
    }

    private mutating func finish(_ name: String) {
        if skipped > 0 {
            skipped -= 1
            return
        }
        guard open.last == name else { return }
        open.removeLast()
        if open.isEmpty {
            text += named.compactMap { zones[$0]?.text }.joined() + "END:VCALENDAR\r\n"
            isClosed = true
            return
        }
        block.append("END:\(name)")
        guard open.count == 1 else { return }
        if name == "VEVENT" {
            events += 1
            text += block.joined(separator: "\r\n") + "\r\n"
        } else {
            linesOfZones += block.count
            if let zone = ZoneText(block), zones[zone.id] == nil { zones[zone.id] = zone }
        }
    }

    private mutating func keep(_ line: Substring, _ name: String, in component: String) {
        guard CalendarProperties.isNeeded(name, in: component) else { return }
        var line = line
        if line.utf8.count > Self.longestLine {
            guard CalendarProperties.texts.contains(name) else { return }
            line = line.prefix(Self.longestText)
            // Half an escaped character.
            while line.last == "\\" { line.removeLast() }
        }
        if open.count == 1 {
            text += line + "\r\n"
            return
        }
        // A line can have several dates.
        let isOfDates = name == "RDATE" || name == "EXDATE"
        counts[name, default: 0] += isOfDates ? line.count { $0 == "," } + 1 : 1
        guard counts[name, default: 0] <= Self.mostOfOneKind else {
            isCut = true
            return
        }
        if component == "VEVENT" {
            if named.count < Self.mostZones, let zone = ZoneText.named(in: line), !named.contains(zone) {
                named.append(zone)
            }
        } else if name == "RRULE", !CalendarProperties.isRuleOfZone(line) {
            return
        }
        block.append(String(line))
    }
}

/// The properties of each component that are read.
private enum CalendarProperties {
    static let texts: Set<String> = ["SUMMARY", "LOCATION", "DESCRIPTION", "COMMENT"]

    private static let needed: [String: Set<String>] = [
        "VCALENDAR": ["METHOD"],
        "VEVENT": texts.union([
            "UID", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "ORGANIZER", "ATTENDEE", "SEQUENCE", "STATUS",
            "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID",
        ]),
        "VTIMEZONE": ["TZID", "X-LIC-LOCATION"],
        "STANDARD": rules,
        "DAYLIGHT": rules,
    ]
    private static let rules: Set<String> = ["DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"]

    static func isNeeded(_ name: String, in component: String) -> Bool {
        needed[component]?.contains(name) ?? false
    }

    /// libical lists every change of a zone: a rule may have one a year, as those of all real zones do.
    static func isRuleOfZone(_ line: Substring) -> Bool {
        let rule = line.split(separator: ":", maxSplits: 1).last?.uppercased() ?? ""
        // Such as the first Sunday after the seventh.
        let hasOneDay = !rule.contains("BYMONTHDAY=") || !rule.contains(",") || rule.contains("BYDAY=")
        return hasOneDay
            && rule.split(separator: ";").allSatisfy { part in
                let (key, value) = part.halves(at: "=")
                return switch key {
                case "FREQ": value == "YEARLY"
                case "BYMONTH", "BYDAY", "INTERVAL", "UNTIL", "COUNT", "WKST": !value.contains(",")
                case "BYMONTHDAY": value.split(separator: ",").count <= 7
                default: false
                }
            } && rule.contains("FREQ=YEARLY")
    }
}

extension StringProtocol {
    /// Without blanks around it.
    var trimmed: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }

    /// What is before the first such character and what is after it.
    func halves(at mark: Character) -> (SubSequence, SubSequence) {
        guard let middle = firstIndex(of: mark) else { return (self[...], self[endIndex...]) }
        return (self[..<middle], self[index(after: middle)...])
    }
}
