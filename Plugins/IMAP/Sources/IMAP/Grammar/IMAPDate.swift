import FoundationEssentials

/// Dates as IMAP writes them: `17-Jul-1996 02:44:25 -0700`.
enum IMAPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Nil for an invalid date. A missing time zone means UTC.
    static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard let day = words.first.map({ $0.split(separator: "-") }), day.count == 3,
            let date = Int(day[0]), let month = months.firstIndex(of: day[1].lowercased()),
            let year = Int(day[2]), (1...31).contains(date), (1900...9999).contains(year)
        else { return nil }
        var seconds = daysSince1970(year, month + 1, date) * 86_400
        if words.count > 1 {
            let time = words[1].split(separator: ":").map { Int($0) ?? -1 }
            guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]),
                (0...60).contains(time[2])
            else { return nil }
            seconds += time[0] * 3_600 + time[1] * 60 + time[2]
        }
        if words.count > 2, let zone = Int(words[2]), (-2_399...2_399).contains(zone) {
            seconds -= (zone / 100) * 3_600 + (zone % 100) * 60
        }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// With time and zone, for `APPEND`.
    static func dateTime(_ date: Date) -> String {
        let seconds = wholeSeconds(date)
        let time = seconds - floored(seconds, 86_400) * 86_400
        let clock = [time / 3_600, time / 60 % 60, time % 60].map { padded($0) }.joined(separator: ":")
        return "\(padded(civil(floored(seconds, 86_400)).day))-\(monthAndYear(seconds)) \(clock) +0000"
    }

    /// The day, for `SEARCH`.
    static func day(_ date: Date) -> String {
        let seconds = wholeSeconds(date)
        return "\(civil(floored(seconds, 86_400)).day)-\(monthAndYear(seconds))"
    }

    private static func monthAndYear(_ seconds: Int) -> String {
        let date = civil(floored(seconds, 86_400))
        let year = String(date.year)
        let zeros = String(repeating: "0", count: max(0, 4 - year.count))
        return "\(months[date.month - 1].capitalizedFirst)-\(zeros)\(year)"
    }

    /// Within the years that have four digits, which is all that a server understands.
    private static func wholeSeconds(_ date: Date) -> Int {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else { return 0 }
        return Int(min(max(seconds.rounded(.down), -62_135_596_800), 253_402_300_799))
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floored(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
    }

    /// Days by the Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = floored(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floored(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
