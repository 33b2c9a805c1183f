import FoundationEssentials

/// When a message came to the server, which POP3 does not say: the server notes it at the top of the header.
enum ArrivalDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let zones = [
        "ut": 0, "utc": 0, "gmt": 0, "z": 0, "edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7,
        "pdt": -7, "pst": -8,
    ]
    private static let oldest = Date(timeIntervalSince1970: 86_400 * 365 * 10)

    /// - Parameters:
    ///   - received: the first `Received` field.
    ///   - sent: the `Date` field, for mail that was put there by hand.
    static func of(received: String?, sent: String?, now: Date) -> Date {
        let trace = received.flatMap { field in
            field.lastIndex(of: ";").flatMap { read(field[field.index(after: $0)...]) }
        }
        for date in [trace, sent.flatMap { read($0[...]) }] {
            guard let date, date > oldest else { continue }
            // A clock that is ahead would keep the message at the top.
            return min(date, now)
        }
        return now
    }

    /// A date as RFC 5322 has it; nil for anything else.
    static func read(_ text: Substring) -> Date? {
        var words = text.prefix(200).split { $0 == " " || $0 == "\t" || $0 == "," }[...]
        if let first = words.first, !first.utf8.allSatisfy(isDigit) { words = words.dropFirst() }
        guard words.count >= 4, let day = number(words.popFirst(), 1...31),
            let month = words.popFirst().flatMap({ months.firstIndex(of: $0.prefix(3).lowercased()) }),
            var year = number(words.popFirst(), 0...9_999)
        else { return nil }
        if year < 50 { year += 2_000 } else if year < 1_000 { year += 1_900 }
        let time = (words.popFirst() ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(time.count), let hour = number(time[0], 0...23),
            let minute = number(time[1], 0...59),
            let second = time.count == 3 ? number(time[2], 0...60) : 0
        else { return nil }
        let seconds = (hour * 60 + minute) * 60 + second - offset(words.first ?? "")
        return Date(timeIntervalSince1970: Double(days(year, month + 1, day) * 86_400 + seconds))
    }

    /// Seconds east of Greenwich. An unknown zone is taken for Greenwich, as RFC 5322 wants it.
    private static func offset(_ zone: Substring) -> Int {
        guard let sign = zone.first, sign == "+" || sign == "-",
            let value = number(zone.dropFirst(), 0...9_959)
        else { return (zones[zone.lowercased()] ?? 0) * 3_600 }
        let seconds = (value / 100 * 60 + value % 100) * 60
        return sign == "+" ? seconds : -seconds
    }

    private static func number(_ text: Substring?, _ range: ClosedRange<Int>) -> Int? {
        guard let text, (1...4).contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Days since 1970 in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that the leap day is the last of its year.
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
