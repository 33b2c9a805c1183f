/// A rule in words, such as “Every 2 weeks on Monday and Thursday, until March 24, 2026”.
struct RecurrenceWords {
    let rule: RecurrenceRule
    /// The last day, by the clock of the event's zone.
    var until: String?

    private static let days = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
    private static let places = [
        1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "second to last",
    ]

    var text: String {
        guard !rule.isUnusual, rule.positions.isEmpty || rule.days.count == 1 || weekdayOfMonth != nil else {
            return "Repeats by a rule of its own"
        }
        return every + (weekdayOfMonth ?? on) + end
    }

    private var every: String {
        if isWeekdays { return "Every weekday" }
        let unit =
            switch rule.frequency {
            case .secondly: "second"
            case .minutely: "minute"
            case .hourly: "hour"
            case .daily: "day"
            case .weekly: "week"
            case .monthly: "month"
            case .yearly: "year"
            }
        return rule.interval == 1 ? "Every \(unit)" : "Every \(rule.interval) \(unit)s"
    }

    private var isWeekdays: Bool {
        rule.interval == 1 && (rule.frequency == .weekly || rule.frequency == .daily)
            && rule.days.map(\.day).sorted() == [0, 1, 2, 3, 4] && rule.days.allSatisfy { $0.position == 0 }
    }

    /// The first or last day of a month on which most people work.
    private var weekdayOfMonth: String? {
        guard rule.frequency == .monthly, rule.days.map(\.day).sorted() == [0, 1, 2, 3, 4],
            rule.positions.count == 1, let place = Self.places[rule.positions[0]]
        else { return nil }
        return " on the \(place) weekday"
    }

    private var on: String {
        var words = ""
        if !rule.days.isEmpty, !isWeekdays {
            words += " on " + Self.joined(rule.days.map(weekday))
        } else if rule.frequency == .monthly || rule.frequency == .yearly, !rule.monthDays.isEmpty {
            words += " on " + Self.joined(rule.monthDays.map(Self.dayOfMonth))
        }
        if !rule.months.isEmpty {
            words += " in " + Self.joined(rule.months.map { Self.months[$0 - 1] })
        }
        return words
    }

    private func weekday(_ weekday: RecurrenceRule.Weekday) -> String {
        let position =
            weekday.position == 0 && rule.positions.count == 1 ? rule.positions[0] : weekday.position
        let name = Self.days[weekday.day]
        guard position != 0, rule.frequency == .monthly || rule.frequency == .yearly else { return name }
        return "the " + (Self.places[position] ?? "\(position).") + " " + name
    }

    private static func dayOfMonth(_ day: Int) -> String {
        day == -1 ? "the last day" : day < 0 ? "day \(-day) from the end" : "day \(day)"
    }

    private var end: String {
        if let count = rule.count { return count == 1 ? ", once" : ", \(count) times" }
        let numbers = (until ?? "").prefix(10).split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 3, (1...12).contains(numbers[1]) else { return "" }
        return ", until \(Self.months[numbers[1] - 1]) \(numbers[2]), \(numbers[0])"
    }

    private static func joined(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
