import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The dates that mail is ordered by. What a service or a sender says may be unreadable, years ahead, or before there
/// was mail: such a message would lie above all others for years.
package struct PlausibleDate: Sendable {
    /// Clocks differ, and days begin at different times.
    private static let tolerance = 86_400.0

    package let now: Date
    /// Whether dates of arrival are kept as they are: where mail lives on this device, this program wrote them.
    let keepsArrival: Bool

    package init(now: Date, keepsArrival: Bool = false) {
        (self.now, self.keepsArrival) = (now, keepsArrival)
    }

    package func isPlausible(_ date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        // The first day of 1970 is what programs write that know no date.
        return seconds.isFinite && seconds > Self.tolerance
            && seconds <= now.timeIntervalSince1970 + Self.tolerance
    }

    /// When a message came: as its service says, else as the last server that it passed says, else its sender.
    package func received(_ date: Date, _ message: ParsedMessage) -> Date {
        if isPlausible(date) || keepsArrival && date.timeIntervalSince1970.isFinite { return date }
        let dates = [Self.passed(message.body.headers), message.header.sentAt].compactMap { $0 }
        return dates.first(where: isPlausible) ?? now
    }

    /// The date of the latest Received field; nil if there is none or it is not plausible.
    package func lastPassed(_ message: ParsedMessage) -> Date? {
        Self.passed(message.body.headers).flatMap { isPlausible($0) ? $0 : nil }
    }

    /// The date behind the semicolon of the topmost `Received`.
    private static func passed(_ fields: [HeaderField]) -> Date? {
        guard let field = fields.first(where: { $0.name.lowercased() == "received" }),
            let semicolon = field.value.lastIndex(of: ";")
        else { return nil }
        return HeaderForm.date(of: String(field.value[semicolon...].dropFirst()))?.date
    }

    /// The header without a date of sending that cannot be.
    package func header(of message: ParsedMessage) -> EmailHeader {
        var header = message.header
        if let sent = header.sentAt, !isPlausible(sent) { header.sentAt = nil }
        return header
    }
}
