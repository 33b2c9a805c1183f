import FoundationEssentials
import MessageFormat

/// `UTCDate` and `Date` of RFC 8620, section 1.4.
enum JMAPDate {
    /// In UTC, or with the offset that it has, in seconds east of Greenwich.
    static func write(_ date: Date, offset: Int = 0) -> String {
        // Nothing but whole minutes, and less than a day of them, can be written.
        let minutes = abs(offset) < 86_400 ? offset / 60 : 0
        // Beyond these a year does not have four digits.
        let bounded = min(
            max(date.addingTimeInterval(Double(minutes * 60)), Date(timeIntervalSince1970: -62_135_596_800)),
            Date(timeIntervalSince1970: 253_402_300_799))
        let text = Self.text(Int(bounded.timeIntervalSince1970.rounded(.down)))
        guard minutes != 0 else { return text + "Z" }
        return text + (minutes < 0 ? "-" : "+") + two(abs(minutes) / 60) + ":" + two(abs(minutes) % 60)
    }

    /// In today's calendar for every year, as RFC 3339 has it: Foundation's changes in 1582.
    private static func text(_ seconds: Int) -> String {
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let time = seconds - day * 86_400
        // As in `DateReader.date`: eras of 400 years, each of which begins in March.
        let shifted = day + 719_468
        let era = Int((Double(shifted) / 146_097).rounded(.down))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = [
            two(year / 100) + two(year % 100), two(month),
            two(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1),
        ]
        return date.joined(separator: "-") + "T"
            + [time / 3600, time / 60 % 60, time % 60].map(two).joined(separator: ":")
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// A `UTCDate`: with `Z` and no other offset.
    static func readUTC(_ text: String) -> Date? {
        text.utf8.last == UInt8(ascii: "Z") ? read(text)?.date : nil
    }

    /// A `Date`, with any offset. Fractions of a second may be there unless they are zero, and are kept.
    static func read(_ text: String) -> HeaderDate? {
        guard text.utf8.count <= 40 else { return nil }
        var reader = DateReader(rest: Array(text.utf8)[...])
        guard let date = reader.date(), let time = reader.time(), let offset = reader.offset(),
            reader.rest.isEmpty
        else { return nil }
        return HeaderDate(date: Date(timeIntervalSince1970: date + time - Double(offset)), offset: offset)
    }
}

/// The pieces of a date as RFC 3339 writes them. Each is nil if it is not there or not possible.
private struct DateReader {
    var rest: ArraySlice<UInt8>

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func number(_ digits: Int, _ range: ClosedRange<Int>) -> Int? {
        let piece = rest.prefix(digits)
        guard piece.count == digits, piece.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        let number = piece.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return range.contains(number) ? number : nil
    }

    /// Seconds from 1970 to the beginning of the day.
    mutating func date() -> Double? {
        guard let year = number(4, 0...9999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...Self.days(in: month, of: year))
        else { return nil }
        // Counted from March on, so that a leap day is the last of its year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let era = shifted >= 0 ? shifted / 400 : -1
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Double((era * 146_097 + dayOfEra - 719_468) * 86_400)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Seconds of the day.
    mutating func time() -> Double? {
        guard take("T"), let hour = number(2, 0...23), take(":"), let minute = number(2, 0...59), take(":"),
            let second = number(2, 0...59)
        else { return nil }
        var seconds = Double(hour * 3600 + minute * 60 + second)
        guard take(".") else { return seconds }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.contains(where: { $0 != 0x30 }) else { return nil }
        rest = rest.dropFirst(digits.count)
        var weight = 0.1
        for digit in digits {
            seconds += Double(digit - 0x30) * weight
            weight /= 10
        }
        return seconds
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take("+") || take("-"), let hours = number(2, 0...23), take(":"),
            let minutes = number(2, 0...59)
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
