import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The text of a message that is answered or passed on.
struct OriginalText {
    /// Longer quotes are cut: they are not useful, and servers reject messages that grow with every reply.
    private static let longest = 200_000
    /// Nor is more than this of a page looked through for it.
    private static let longestSource = 1_000_000

    let text: String

    init(_ body: EmailBody) {
        var texts: [String] = []
        var left = Self.longestSource
        for part in BodyParts.split(body.structure).textBody where left > 0 {
            guard let value = part.partID.flatMap({ body.values[$0] }) else { continue }
            let beginning = value.truncated(toBytes: left, isHTML: part.type == "text/html").value
            left -= beginning.utf8.count
            texts.append(Self.text(of: part, beginning))
        }
        let whole = texts.joined(separator: "\n\n").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        text = Self.trimmed(Self.cut(whole))
    }

    static func text(of part: EmailBodyPart, _ value: String) -> String {
        if part.type == "text/html" { return PlainText.from(html: value) }
        let type = part.headers.last { $0.name.lowercased() == "content-type" }?.value.lowercased() ?? ""
        guard type.contains("format"), type.contains("flowed") else { return value }
        let deletes = type.replacing(" ", with: "").contains("delsp=yes")
        return FlowedText.joined(value, deletesSpaces: deletes)
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        let end = text.utf8.index(text.startIndex, offsetBy: longest)
        let whole = text[..<end].lastIndex(of: "\n") ?? end
        return text[..<whole] + "\n[…]"
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        while let end = text.firstIndex(where: \.isNewline), text[..<end].allSatisfy(\.isWhitespace) {
            text = text[text.index(after: end)...]
        }
        return String(text)
    }

    /// Each line behind a `>`.
    var quoted: String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ">" : $0.hasPrefix(">") ? ">\($0)" : "> \($0)" }
            .joined(separator: "\n")
    }
}

/// The lines that say whose text follows.
enum QuoteHeading {
    /// “On Sat, 21 Nov 2026 at 16:43, Ada wrote:”
    static func attribution(_ header: EmailHeader, receivedAt: Date, in zone: TimeZone) -> String {
        let author = header.from.first ?? header.sender.first
        let name = author.map { $0.name.flatMap(Self.line) ?? $0.email } ?? "somebody"
        return "On \(date(header.sentAt ?? receivedAt, in: zone)), \(name) wrote:"
    }

    static func forwarding(_ header: EmailHeader, receivedAt: Date, in zone: TimeZone) -> String {
        var lines = ["---------- Forwarded message ----------"]
        lines.append("From: \(list(header.from.isEmpty ? header.sender : header.from))")
        lines.append("Date: \(date(header.sentAt ?? receivedAt, in: zone))")
        lines.append("Subject: \(header.subject.flatMap(Self.line) ?? "")")
        lines.append("To: \(list(header.to))")
        if !header.cc.isEmpty { lines.append("Cc: \(list(header.cc))") }
        return lines.joined(separator: "\n")
    }

    private static func list(_ addresses: [EmailAddress]) -> String {
        addresses.map { address in
            address.name.flatMap(Self.line).map { "\($0) <\(address.email)>" } ?? address.email
        }.joined(separator: ", ")
    }

    /// Without line ends; nil if nothing is left.
    private static func line(_ text: String) -> String? {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func date(_ date: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute], from: date)
        func two(_ number: Int?) -> String {
            let number = number ?? 0
            return number < 10 ? "0\(number)" : "\(number)"
        }
        let day = days[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        return
            "\(day), \(parts.day ?? 1) \(month) \(parts.year ?? 1970) at \(two(parts.hour)):\(two(parts.minute))"
    }
}
