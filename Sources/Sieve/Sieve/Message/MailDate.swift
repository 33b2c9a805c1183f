/// A date in its own time zone.
struct MailDate: Equatable {
    /// Seconds since 1970.
    var time: Int
    /// Minutes ahead of UTC.
    var offset: Int

    /// The parts of RFC 5260 that `date` and `currentdate` can compare.
    static let parts: Set<String> = [
        "year", "month", "day", "date", "julian", "hour", "minute", "second", "time", "iso8601", "std11",
        "zone",
        "weekday",
    ]

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// A part as text; nil if there is no such part.
    func part(_ name: String) -> String? {
        let local = time + offset * 60
        let days = local.dividedRoundingDown(by: 86_400)
        let second = local - days * 86_400
        let date = Self.date(ofDay: days)
        let day = "\(Self.padded(date.year, 4))-\(Self.padded(date.month))-\(Self.padded(date.day))"
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0) }.joined(
            separator: ":")
        let weekday = (days + 4).remainderRoundingDown(by: 7)
        switch name {
        case "year": return Self.padded(date.year, 4)
        case "month": return Self.padded(date.month)
        case "day": return Self.padded(date.day)
        case "date": return day
        case "julian": return "\(days + 40_587)"
        case "hour": return Self.padded(second / 3_600)
        case "minute": return Self.padded(second / 60 % 60)
        case "second": return Self.padded(second % 60)
        case "time": return clock
        case "iso8601": return "\(day)T\(clock)\(zone(separator: ":"))"
        case "std11":
            let month = Self.months[min(max(date.month, 1), 12) - 1]
            return "\(Self.weekdays[weekday]), \(Self.padded(date.day)) \(month) \(Self.padded(date.year, 4))"
                + " \(clock) \(zone(separator: ""))"
        case "zone": return zone(separator: "")
        case "weekday": return "\(weekday)"
        default: return nil
        }
    }

    private func zone(separator: String) -> String {
        let minutes = abs(offset)
        return "\(offset < 0 ? "-" : "+")\(Self.padded(minutes / 60))\(separator)\(Self.padded(minutes % 60))"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The minutes of a zone such as `+0130`; nil if it is none.
    static func minutes(ofZone text: Bytes) -> Int? {
        guard text.count == 5, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            text[1...].allSatisfy(\.isDigit), let number = Int(text[1...].map { $0 }.text)
        else { return nil }
        let minutes = number / 100 * 60 + number % 100
        return text[0] == UInt8(ascii: "-") ? -minutes : minutes
    }

    // Days since 1970 and dates of the Gregorian calendar, counted from March on in eras of 400 years.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedRoundingDown(by: 400)
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let yearOfEra = shifted - era * 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted.dividedRoundingDown(by: 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}

extension MailDate {
    /// Reads a date as header fields have it (RFC 5322, section 3.3), also after a semicolon, as in `Received`.
    init?(header value: Bytes) {
        let text = value.lastIndex(of: UInt8(ascii: ";")).map { Bytes(value[($0 + 1)...]) } ?? value
        var words = Self.words(text)
        if words.count > 1, words[0].first?.isLetter == true { words.removeFirst() }
        guard words.count >= 4, let day = Int(words[0].text), (1...31).contains(day),
            let month = Self.months.firstIndex(where: { $0.lowered.bytes == words[1].lowered }),
            words[2].count >= 2, var year = Int(words[2].text), (0...9_999).contains(year),
            let clock = Self.clock(words[3])
        else { return nil }
        if words[2].count == 2 { year += year < 50 ? 2_000 : 1_900 }
        if words[2].count == 3 { year += 1_900 }
        offset = words.count > 4 ? Self.offset(words[4]) : 0
        time = Self.day(year: year, month: month + 1, day: day) * 86_400 + clock - offset * 60
    }

    /// The words between blanks, commas and comments.
    private static func words(_ text: Bytes) -> [Bytes] {
        var words: [Bytes] = [[]]
        var depth = 0
        for byte in text {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if depth == 0, !byte.isSpace, byte != UInt8(ascii: ",") {
                words[words.count - 1].append(byte)
            } else if words.last?.isEmpty == false {
                words.append([])
            }
            if byte == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
        }
        return words.filter { !$0.isEmpty }
    }

    private static func clock(_ text: Bytes) -> Int? {
        let numbers = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            $0.count <= 2 ? Int(Bytes($0).text) : nil
        }
        guard numbers.count == 2 || numbers.count == 3, let hour = numbers[0], let minute = numbers[1],
            (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        guard numbers.count == 3 else { return hour * 3_600 + minute * 60 }
        guard let second = numbers[2], (0...60).contains(second) else { return nil }
        return hour * 3_600 + minute * 60 + Swift.min(second, 59)
    }

    private static func offset(_ zone: Bytes) -> Int {
        if let minutes = minutes(ofZone: zone) { return minutes }
        let hours = [
            "ut": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8,
            "pdt": -7,
        ]
        return (hours[zone.lowered.text] ?? 0) * 60
    }
}

extension Int {
    func dividedRoundingDown(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    func remainderRoundingDown(by divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
