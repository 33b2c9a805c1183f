import FoundationEssentials
import MailKernelAPI

/// The lines that say whose text follows.
enum QuoteHeading {
    /// “On Sat, 21 Nov 2026 at 16:43, Ada wrote:”
    static func attribution(_ header: EmailHeader, receivedAt: Date, in zone: TimeZone) -> String {
        let author = header.from.first ?? header.sender.first
        let name = author.map { $0.name.flatMap(Self.line) ?? $0.email } ?? "an unknown sender"
        return "On \(date(header.sentAt ?? receivedAt, in: zone)), \(name) wrote:"
    }

    static func forwarding(_ header: EmailHeader, receivedAt: Date, in zone: TimeZone) -> [String] {
        var lines = ["---------- Forwarded message ----------"]
        lines.append("From: \(list(header.from.isEmpty ? header.sender : header.from))")
        lines.append("Date: \(date(header.sentAt ?? receivedAt, in: zone))")
        lines.append("Subject: \(header.subject.flatMap(Self.line) ?? "")")
        lines.append("To: \(list(header.to))")
        if !header.cc.isEmpty { lines.append("Cc: \(list(header.cc))") }
        return lines
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
