import FoundationEssentials
import MailKernelAPI

/// Sending later, as JMAP clients ask for it: with the parameters of FUTURERELEASE (RFC 4865). The program waits itself,
/// so it has to run when the time comes.
enum FutureRelease {
    static let maxSeconds = 366 * 86_400
    static let notHeld = "The mail service cannot hold the message until then."
    static let notAsked =
        "The mail service cannot be asked right now whether it holds messages. "
        + "Try again later, or send the message from this computer."

    static let capability: JSONValue = [
        "maxDelayedSend": .number(Double(maxSeconds)),
        "submissionExtensions": ["FUTURERELEASE": [.string("\(maxSeconds)"), "9999-12-31T23:59:59Z"]],
    ]

    static func isPossible(_ date: Date, at now: Date) -> Bool {
        date > now && date.timeIntervalSince(now) <= Double(maxSeconds)
    }

    /// The time in the parameters of MAIL FROM; nil if there is none.
    static func date(_ parameters: [String: JSONValue], at now: Date) throws(SetError) -> Date? {
        guard let (name, value) = parameters.first else { return nil }
        let text = value.stringValue ?? ""
        let date: Date?
        switch name.uppercased() {
        case "HOLDFOR"
        where (1...9).contains(text.utf8.count) && text.utf8.allSatisfy({ (48...57).contains($0) }):
            date = Double(text).map { now.addingTimeInterval($0) }
        case "HOLDUNTIL": date = JMAPDate.read(text)?.date
        default: date = nil
        }
        guard parameters.count == 1, let date, isPossible(date, at: now) else {
            throw .invalidProperty(
                "envelope",
                "can have one parameter, HOLDFOR or HOLDUNTIL, for a time within \(maxSeconds) seconds")
        }
        return date
    }
}
