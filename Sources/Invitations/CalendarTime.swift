import FoundationEssentials

/// A day, or a time of a day, as an invitation has it.
package struct CalendarTime: Codable, Hashable, Sendable {
    /// By the clock of its zone, as `2026-03-10T14:00:00`; of a day, `2026-03-10`.
    package var local: String
    /// The instant; nil for a day, and for a time in no zone, which is that time wherever the reader is.
    package var date: Date?
    /// The zone's name in the tz database, if it has one there.
    package var zone: String?
    /// The zone as the sender named it.
    package var zoneName: String?

    package init(local: String, date: Date? = nil, zone: String? = nil, zoneName: String? = nil) {
        self.local = local
        self.date = date
        self.zone = zone
        self.zoneName = zoneName
    }

    package var isDay: Bool { !local.contains("T") }

    /// Whether both are the same point in time, whatever their zones are called.
    package func isSame(as other: CalendarTime) -> Bool {
        if let date, let theirs = other.date { return date == theirs }
        return local == other.local && (date == nil) == (other.date == nil)
    }

    /// The same for the same point in time, in whatever zone it was written.
    package var moment: String { date.map { "\(Int($0.timeIntervalSince1970))" } ?? local }

    /// What sorts times: those without a zone as if they were in UTC.
    package var order: Double { date?.timeIntervalSince1970 ?? LocalTime(local)?.seconds ?? 0 }
}

/// A time by the clock, counted as if it were in UTC.
struct LocalTime {
    var seconds: Double

    init?(_ text: String) {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 3 || numbers.count == 6 else { return nil }
        let time = numbers.count == 6 ? Array(numbers[3...]) : [0, 0, 0]
        seconds =
            Double(Self.days(numbers[0], numbers[1], numbers[2])) * 86_400
            + Double(time[0] * 3600 + time[1] * 60 + time[2])
    }

    /// Days since 1970, by the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
