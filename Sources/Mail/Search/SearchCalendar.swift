import FoundationEssentials
import Glibc

/// Days in the time zone of this computer.
package struct SearchCalendar: Sendable {
    /// A day; its parts may be out of range, as in the 32nd of March or the month 0.
    struct Day: Sendable, Hashable {
        var year: Int
        var month: Int
        var day: Int
    }

    let today: Day
    /// 0 for Sunday.
    let weekday: Int
    private let now: Date
    private let startOfDay: @Sendable (Day) -> Date

    /// In the time zone of this computer.
    package init(now: Date) {
        var seconds = time_t(now.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        self.now = now
        today = Day(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
        weekday = Int(parts.tm_wday)
        startOfDay = { day in
            var parts = tm()
            parts.tm_year = Int32(clamping: day.year - 1900)
            parts.tm_mon = Int32(clamping: day.month - 1)
            parts.tm_mday = Int32(clamping: day.day)
            parts.tm_isdst = -1
            return Date(timeIntervalSince1970: Double(mktime(&parts)))
        }
    }

    /// When a day begins.
    func start(_ day: Day) -> Date { startOfDay(day) }

    func start(_ year: Int, _ month: Int = 1, _ day: Int = 1) -> Date {
        startOfDay(Day(year: year, month: month, day: day))
    }

    /// Today, so many days, months or years away.
    func away(days: Int = 0, months: Int = 0, years: Int = 0) -> Day {
        var day = today
        day.year += years
        day.month += months
        // In a month that is shorter, its last day.
        if months != 0 || years != 0 { day.day = min(day.day, Self.length(ofMonth: day)) }
        day.day += days
        return day
    }

    /// To the minute, so that the pages of one result agree.
    func ago(hours: Int) -> Date {
        let time = now.timeIntervalSince1970 - Double(hours) * 3600
        return Date(timeIntervalSince1970: (time / 60).rounded(.down) * 60)
    }

    private static func length(ofMonth day: Day) -> Int {
        let months = day.year * 12 + day.month - 1
        let (year, month) = (Int((Double(months) / 12).rounded(.down)), ((months % 12) + 12) % 12 + 1)
        switch month {
        case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Whether this day exists.
    static func isDay(_ day: Day) -> Bool {
        (1...12).contains(day.month) && day.day >= 1 && day.day <= length(ofMonth: day)
            && (1970...2200).contains(day.year)
    }
}
