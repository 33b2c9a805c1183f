import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// What the header of a message says that matters to an import.
struct ImportHeader {
    private let fields: [HeaderField]

    init(_ message: Data) {
        fields = MessageParser().headers(of: Self.header(of: message))
    }

    /// The bytes up to the first empty line: the body need not be looked at.
    private static func header(of message: Data) -> Data {
        var start = message.startIndex
        while let newline = message[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = newline + 1
            guard next < message.endIndex else { break }
            if message[next] == UInt8(ascii: "\n") || message[next...].starts(with: "\r\n".utf8) {
                return Data(message[..<next])
            }
            start = next
        }
        return message.prefix(100_000)
    }

    private func value(_ name: String) -> String? {
        fields.last { $0.name.lowercased() == name }?.value
    }

    /// When it arrived: by the topmost Received field, else when it says it was sent.
    var date: Date? {
        if let received = fields.first(where: { $0.name.lowercased() == "received" })?.value,
            let semicolon = received.lastIndex(of: ";"),
            let date = HeaderForm.date(of: String(received[received.index(after: semicolon)...]))?.date
        {
            return date
        }
        return value("date").flatMap { HeaderForm.date(of: $0)?.date }
    }

    /// Gmail's labels, as Takeout writes them.
    var gmailLabels: [String]? {
        guard let raw = value("x-gmail-labels") else { return nil }
        var labels: [String] = []
        var current = ""
        var isQuoted = false
        for character in HeaderForm.text(of: raw) {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                labels.append(current)
                current = ""
            default: current.append(character)
            }
        }
        labels.append(current)
        return labels.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    }

    /// `Status` and `X-Status`, as mail programs write them into an mbox.
    var statusKeywords: Set<Keyword> {
        let letters = (value("status") ?? "") + (value("x-status") ?? "")
        var keywords: Set<Keyword> = []
        if letters.contains("R") { keywords.insert(.seen) }
        if letters.contains("A") { keywords.insert(.answered) }
        if letters.contains("F") { keywords.insert(.flagged) }
        if letters.contains("T") { keywords.insert(.draft) }
        return keywords
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
