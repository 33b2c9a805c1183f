import FoundationEssentials

/// A time that a person named.
struct DateSpan: Equatable {
    /// Nil for all time before the end.
    var from: Date?
    /// The first moment after it; nil if it goes on.
    var to: Date?
    var label: String
    /// Whether the words can as well be meant as words: “march”, “2024”.
    var isAmbiguous = false
}

/// Reads dates in a person's words.
struct DateWords {
    static let mostWords = 4
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    let calendar: SearchCalendar

    /// The longest date that these words begin with, and its number of words.
    func longest(_ words: [String]) -> (count: Int, span: DateSpan)? {
        for count in stride(from: min(words.count, Self.mostWords), to: 0, by: -1) {
            if let span = span(Array(words.prefix(count))) { return (count, span) }
        }
        return nil
    }

    /// The date that exactly these words name.
    func span(_ typed: [String]) -> DateSpan? {
        let words = typed.map { $0.lowercased().trimmed(of: ",") }
        switch words.count {
        case 1: return oneWord(words[0])
        case 2: return twoWords(words[0], words[1]) ?? dayOfMonth(words)
        case 3: return threeWords(words) ?? dayOfMonth(words)
        default: return nil
        }
    }

    // MARK: By the number of words

    private func oneWord(_ word: String) -> DateSpan? {
        switch word {
        case "today": return DateSpan(from: calendar.start(calendar.today), label: "Today")
        case "yesterday": return days(-1, 1, "Yesterday")
        default: break
        }
        if let number = Int(word), word.count == 4 { return year(number) }
        if let month = Self.month(word) {
            var span = self.month(month, of: latestYear(of: month))
            // “may” is rarely the month.
            span.isAmbiguous = true
            return span
        }
        if let weekday = Self.weekday(word) {
            var span = self.weekday(weekday, isToday: true)
            span.isAmbiguous = true
            return span
        }
        return numbers(word)
    }

    private func twoWords(_ first: String, _ second: String) -> DateSpan? {
        if first == "this" || first == "last" {
            if let span = unit(second, isLast: first == "last") { return span }
            if let weekday = Self.weekday(second) { return self.weekday(weekday, isToday: first == "this") }
            if let month = Self.month(second) {
                let year = first == "this" ? calendar.today.year : latestYear(of: month, isPast: true)
                return self.month(month, of: year)
            }
        }
        if let month = Self.month(first), let number = Int(second), second.count == 4 {
            return (1970...2200).contains(number) ? self.month(month, of: number) : nil
        }
        return nil
    }

    /// “last 30 days”, “3 weeks ago”.
    private func threeWords(_ words: [String]) -> DateSpan? {
        if words[0] == "last" || words[0] == "past", let number = Self.count(words[1]),
            let start = start(number, words[2])
        {
            let unit = words[2].trimmed(of: "s") + (number == 1 ? "" : "s")
            return DateSpan(from: calendar.start(start), label: "Last \(number) \(unit)")
        }
        if words[2] == "ago", let number = Self.count(words[0]), let start = start(number, words[1]) {
            var next = start
            next.day += 1
            return DateSpan(
                from: calendar.start(start), to: calendar.start(next), label: "\(number) \(words[1]) ago")
        }
        return nil
    }

    /// “5 march”, “march 5”, “5 march 2024”, “march 5 2024”.
    private func dayOfMonth(_ words: [String]) -> DateSpan? {
        let named = words.prefix(2).compactMap { Self.month($0) }
        guard named.count == 1, let day = words.prefix(2).compactMap({ Self.ordinal($0) }).first else {
            return nil
        }
        var year: Int?
        if words.count == 3 {
            guard let number = Int(words[2]), words[2].count == 4 else { return nil }
            year = number
        }
        var date = SearchCalendar.Day(year: year ?? calendar.today.year, month: named[0], day: day)
        if year == nil, (date.month, date.day) > (calendar.today.month, calendar.today.day) { date.year -= 1 }
        return self.day(date)
    }

    // MARK: Pieces

    private func year(_ number: Int) -> DateSpan? {
        guard (1970...(calendar.today.year + 1)).contains(number) else { return nil }
        return DateSpan(
            from: calendar.start(number), to: calendar.start(number + 1), label: "\(number)",
            isAmbiguous: true)
    }

    private func month(_ month: Int, of year: Int) -> DateSpan {
        DateSpan(
            from: calendar.start(year, month), to: calendar.start(year, month + 1),
            label: "\(Self.months[month - 1]) \(year)")
    }

    private func day(_ day: SearchCalendar.Day) -> DateSpan? {
        guard SearchCalendar.isDay(day) else { return nil }
        var next = day
        next.day += 1
        return DateSpan(
            from: calendar.start(day), to: calendar.start(next),
            label: "\(day.day) \(Self.months[day.month - 1]) \(day.year)")
    }

    private func days(_ offset: Int, _ count: Int, _ label: String) -> DateSpan {
        DateSpan(
            from: calendar.start(calendar.away(days: offset)),
            to: calendar.start(calendar.away(days: offset + count)), label: label)
    }

    /// The latest day of this name: today, or the last one before it.
    private func weekday(_ weekday: Int, isToday: Bool) -> DateSpan {
        let back = (calendar.weekday - weekday + 7) % 7
        let offset = back == 0 && !isToday ? -7 : -back
        let day = calendar.away(days: offset)
        return DateSpan(
            from: calendar.start(day), to: calendar.start(calendar.away(days: offset + 1)),
            label: offset == 0
                ? "Today" : offset < -6 ? "Last \(Self.weekdays[weekday])" : Self.weekdays[weekday])
    }

    private func unit(_ name: String, isLast: Bool) -> DateSpan? {
        let (year, month) = (calendar.today.year, calendar.today.month)
        switch name {
        case "week":
            let monday = -((calendar.weekday + 6) % 7)
            return isLast ? days(monday - 7, 7, "Last week") : days(monday, 7, "This week")
        case "month":
            let first = isLast ? month - 1 : month
            return DateSpan(
                from: calendar.start(year, first), to: calendar.start(year, first + 1),
                label: isLast ? "Last month" : "This month")
        case "year":
            let first = isLast ? year - 1 : year
            return DateSpan(
                from: calendar.start(first), to: calendar.start(first + 1),
                label: isLast ? "Last year" : "This year")
        default: return nil
        }
    }

    private func latestYear(of month: Int, isPast: Bool = false) -> Int {
        let isAhead = month > calendar.today.month || isPast && month == calendar.today.month
        return calendar.today.year - (isAhead ? 1 : 0)
    }

    private func start(_ number: Int, _ unit: String) -> SearchCalendar.Day? {
        switch unit {
        case "day", "days": calendar.away(days: -number)
        case "week", "weeks": calendar.away(days: -7 * number)
        case "month", "months": calendar.away(months: -number)
        case "year", "years": calendar.away(years: -number)
        default: nil
        }
    }
}

// MARK: Numbers and names

extension DateWords {
    /// `2024-02-01`, `2024/2`, `1.2.2024` and, as in Gmail, `2/1/2024` for 1 February.
    private func numbers(_ word: String) -> DateSpan? {
        guard let separator = word.first(where: { "-/.".contains($0) }) else { return nil }
        let pieces = word.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = pieces.compactMap { $0.allSatisfy { ("0"..."9").contains($0) } ? Int($0) : nil }
        guard numbers.count == pieces.count, (2...3).contains(numbers.count) else { return nil }
        if pieces[0].count == 4 {
            guard numbers.count == 3 else {
                let isMonth = (1...12).contains(numbers[1]) && (1970...2200).contains(numbers[0])
                return isMonth && separator != "." ? month(numbers[1], of: numbers[0]) : nil
            }
            return day(.init(year: numbers[0], month: numbers[1], day: numbers[2]))
        }
        guard numbers.count == 3, pieces[2].count == 4 else { return nil }
        let isDayFirst = separator == "." || numbers[0] > 12
        let (month, day) = isDayFirst ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
        return self.day(.init(year: numbers[2], month: month, day: day))
    }

    private static func count(_ word: String) -> Int? {
        guard let number = Int(word), (1...9999).contains(number) else { return nil }
        return number
    }

    /// 5, 5th, 5.
    private static func ordinal(_ word: String) -> Int? {
        var digits = word
        for ending in ["st", "nd", "rd", "th", "."] where word.hasSuffix(ending) {
            digits = String(word.dropLast(ending.count))
        }
        guard let number = Int(digits), (1...31).contains(number) else { return nil }
        return number
    }

    private static func month(_ word: String) -> Int? { index(of: word, in: months, shortest: 3) }

    private static func weekday(_ word: String) -> Int? {
        ["tues": 2, "thur": 4, "thurs": 4][word] ?? index(of: word, in: weekdays, shortest: 3)
    }

    /// The whole name, or its first three letters.
    private static func index(of word: String, in names: [String], shortest: Int) -> Int? {
        let word = word.trimmed(of: ".")
        let isMonth = names.count == 12
        guard
            let index = names.firstIndex(where: {
                let name = $0.lowercased()
                return name == word || name.prefix(shortest) == word
                    || isMonth && word == "sept" && name == "september"
            })
        else { return nil }
        return isMonth ? index + 1 : index
    }
}

extension String {
    /// Without these characters at its end.
    func trimmed(of characters: String) -> String {
        var text = self[...]
        while let last = text.last, characters.contains(last) { text = text.dropLast() }
        return String(text)
    }
}
