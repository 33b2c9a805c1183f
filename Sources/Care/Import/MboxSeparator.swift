import FoundationEssentials
import MessageFormat

/// A line that may begin a message in an mbox.
///
/// Bodies have lines that begin with “From ” too. So a line alone decides nothing: what stands before and after it
/// counts as well (`MboxWindow`).
struct MboxSeparator: Equatable {
    enum Kind: Equatable {
        /// `From a@b.c Mon Nov 20 10:00:00 2023`, as most programs write it.
        case dated
        /// A sender and a date or time in another form, such as `From a@b.c 2023-11-20T10:00:00Z`.
        case foreign
        /// `From ` or `From - `, as current versions of Thunderbird write it.
        case bare
        /// `From a@b.c`, or with a time that is not understood: believed only in files that begin so.
        case odd
    }

    /// Written by us and by no mail server: a sender has an at sign.
    static let ours = "mailkernel-export"

    let kind: Kind
    let date: Date?
    /// Whether it is of an export by this program.
    let isOurs: Bool
    /// Whether there is an address, or a time after some word: no sentence that begins so is likely.
    let namesSender: Bool

    /// - Parameter line: without its line end.
    init?(_ line: some Collection<UInt8>) {
        let text = String(decoding: line.prefix(1000), as: UTF8.self)
        guard text.hasPrefix("From ") else { return nil }
        let words = text.dropFirst(5).split(whereSeparator: \.isWhitespace)
        date = SeparatorDate.read(text)
        isOurs = date != nil && words.count == 6 && words[0] == Self.ours
        let isForeign = Self.isForeign(words)
        namesSender = date != nil || isForeign || words.count == 1 && words[0].contains("@")
        if words.isEmpty || words == ["-"] {
            kind = .bare
        } else if date != nil {
            kind = .dated
        } else if isForeign {
            kind = .foreign
        } else if words.count == 1 && words[0].contains("@") || Self.hasTime(text.dropFirst(5)) {
            kind = .odd
        } else {
            return nil
        }
    }

    private static let mostWords = 8

    /// A sender, then few words, of which one is a time or a date in digits, or a month's day and year.
    private static func isForeign(_ words: [Substring]) -> Bool {
        guard let sender = words.first, words.count <= mostWords else { return false }
        var rest = words.dropFirst()
        // As archives of mailing lists hide addresses: `ana at example.org`.
        let isHidden = words.count > 3 && words[1] == "at" && words[2].contains(".")
        if isHidden { rest = rest.dropFirst(2) }
        guard isHidden || isSender(sender), rest.contains(where: { hasTime($0) || isDate($0) }) else {
            return false
        }
        return rest.allSatisfy { $0.utf8.contains(where: isDigit) || $0.count <= longestName }
    }

    /// Of a month, in most languages, or of a time zone.
    private static let longestName = 10

    private static func isSender(_ word: Substring) -> Bool {
        word == "-" || word == "MAILER-DAEMON" || word.allSatisfy { $0 == "?" }
            || word.last != "," && (word.contains("@") || word.contains("!"))
    }

    /// `2023-11-20`, `20.11.2023` or `11/20/2023`, maybe with a time.
    private static func isDate(_ word: Substring) -> Bool {
        let parts = word.prefix { $0 != "T" }.split(
            omittingEmptySubsequences: false, whereSeparator: { "-./".contains($0) })
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }
            && parts.contains { $0.count == 4 }
    }

    private static func hasTime(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.dropFirst().dropLast().contains { index in
            bytes[index] == UInt8(ascii: ":") && isDigit(bytes[index - 1]) && isDigit(bytes[index + 1])
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// What the lines behind a separator look like.
enum HeaderLine {
    private static let longestName = 80

    /// Whether this is a field's first line. An address such as `https://…` is none.
    static func isField(_ line: some Collection<UInt8>) -> Bool {
        if line.starts(with: ">From ".utf8) { return true }
        let name = line.prefix(longestName).prefix { $0 != UInt8(ascii: ":") }
        guard let first = name.first, isLetter(first), name.count < longestName, name.count < line.count
        else {
            return false
        }
        let bare = name.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return bare.allSatisfy { (33...126).contains($0) }
            && !line.dropFirst(name.count + 1).starts(with: "//".utf8)
    }

    static func isContinuation(_ line: some Collection<UInt8>) -> Bool {
        line.first == 0x20 || line.first == 0x09
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// The time in a “From ” line of an mbox.
enum SeparatorDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// `From 1781@xxx Tue Nov 21 10:02:03 +0000 2023`, with or without a zone.
    static func read(_ line: String) -> Date? {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let time = words.lastIndex(where: { $0.contains(":") && $0.first?.isNumber == true }),
            time >= 2,
            let month = months.firstIndex(of: words[time - 2].lowercased()), let day = Int(words[time - 1]),
            let year = words[(time + 1)...].compactMap({ $0.count == 4 ? Int($0) : nil }).last
        else { return nil }
        let zone =
            words[(time + 1)...].first { $0.count == 5 && ($0.hasPrefix("+") || $0.hasPrefix("-")) }
            ?? "+0000"
        let name = months[month].prefix(1).uppercased() + months[month].dropFirst()
        return HeaderForm.date(of: "\(day) \(name) \(year) \(words[time]) \(zone)")?.date
    }
}
