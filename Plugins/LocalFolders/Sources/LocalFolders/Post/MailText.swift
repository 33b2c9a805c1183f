import FoundationEssentials

/// A message that is being written.
struct MailText {
    private(set) var data = Data()

    mutating func line(_ text: String) {
        data.append(contentsOf: text.utf8)
        data.append(contentsOf: [13, 10])
    }

    /// A header field. Non-ASCII text is written as encoded words.
    mutating func field(_ name: String, _ value: String) {
        line("\(name): \(EncodedWords.text(value))")
    }

    mutating func begin(_ boundary: String, _ type: String, _ encoding: String, _ more: [String] = []) {
        line("--\(boundary)")
        line("Content-Type: \(type)")
        line("Content-Transfer-Encoding: \(encoding)")
        for field in more { line(field) }
        line("")
    }

    mutating func part(_ boundary: String, _ type: String, _ content: String, _ encoding: String = "7bit") {
        begin(boundary, type, encoding)
        line(content)
    }

    mutating func append(_ bytes: Data) { data.append(bytes) }
}

/// Words of other scripts in header fields (RFC 2047).
enum EncodedWords {
    /// An encoded word has at most 75 characters: 45 bytes of text in base64, and its delimiters.
    private static let bytesPerWord = 42

    /// The text in header form; an address in angle brackets at its end stays unchanged.
    static func text(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 128 }) else { return text }
        var words: [String] = []
        var address = ""
        var rest = text[...]
        if let bracket = text.lastIndex(of: "<"), text.hasSuffix(">") {
            address = String(text[bracket...])
            rest = text[..<bracket]
            while rest.last == " " || rest.last == "\"" { rest = rest.dropLast() }
            while rest.first == "\"" { rest = rest.dropFirst() }
        }
        var piece = ""
        for character in rest {
            if piece.utf8.count + character.utf8.count > bytesPerWord {
                words.append(encoded(piece))
                piece = ""
            }
            piece.append(character)
        }
        words.append(encoded(piece))
        if !address.isEmpty { words.append(address) }
        return words.joined(separator: "\r\n ")
    }

    private static func encoded(_ text: String) -> String {
        "=?utf-8?B?\(Data(text.utf8).base64EncodedString())?="
    }
}

/// Dates as mail writes them.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// In UTC, to hide the location of this machine.
    static func text(_ date: Date) -> String {
        let parts = Parts(date)
        return "\(days[parts.weekday]), \(parts.day) \(months[parts.month - 1]) \(parts.year) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A date of the Gregorian calendar, in UTC.
    struct Parts {
        let year: Int
        let month: Int
        let day: Int
        /// Days since a Thursday.
        let weekday: Int
        let hour: Int
        let minute: Int
        let second: Int

        init(_ date: Date) {
            // Years from 0 to 9999, so that no clock can break the arithmetic.
            let seconds = Int(
                max(-62_167_219_200, min(253_402_300_799, date.timeIntervalSince1970)).rounded(.down))
            let days = Int((Double(seconds) / 86_400).rounded(.down))
            let rest = seconds - days * 86_400
            (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
            weekday = ((days % 7) + 7) % 7
            // Counted from the first of March of the year 0, so that the leap day is a year's last.
            let shifted = days + 719_468
            let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }
    }
}
