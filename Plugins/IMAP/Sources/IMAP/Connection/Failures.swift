import FoundationEssentials
import MailKernelAPI

extension AccountError {
    /// What a sink, a source or `KnownMessages` threw.
    init(local error: any Error) {
        if error is CancellationError || Task.isCancelled {
            self = .cancelled
        } else if let error = error as? AccountError {
            self = error
        } else {
            self = .local(reason: "\(error)")
        }
    }

    /// What a failure of a connection means. A server has several ports, so the user reads which one it was; the network
    /// names it in its other reasons.
    package init(_ error: NetworkError, port: Int) {
        if case .closed(let host) = error {
            self = .unreachable(host: host, reason: "the connection on port \(port) was closed")
        } else {
            self.init(error)
        }
    }

    /// What a command that was not carried out means.
    init(_ status: StatusResponse, command: String) {
        switch status.word {
        case "NONEXISTENT", "TRYCREATE": self = .notFound
        case "AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "EXPIRED":
            self = .authenticationRequired(reason: status.shownText)
        case "UNAVAILABLE", "THROTTLED": self = .throttled(until: nil)
        case "SERVERBUG", "INUSE", "LIMIT", "EXPUNGEISSUED":
            let isOfAll = status.asksForPatience || status.concernsAll(command)
            self = isOfAll ? .throttled(until: nil) : .badAnswer(status.shownText)
        default:
            switch status.kind {
            case _ where status.asksForPatience: self = .throttled(until: nil)
            case .bad where status.hasNoMailbox: self = .refused(status.shownText)
            case .bad: self = .badAnswer("the server did not understand \(command)")
            default: self = .refused(status.shownText)
            }
        }
    }
}

extension IMAPConnection.Result {
    /// This user may not do this.
    var isForbidden: Bool {
        let text = completion.status.text.lowercased()
        return completion.status.word == "NOPERM" || text.contains("permission denied")
            || text.contains("access denied")
    }
}

extension StatusResponse {
    /// The response code, if it is a plain word.
    var word: String? {
        if case .word(let word) = code { word } else { nil }
    }

    /// The server's text, for the user: truncated and without control characters.
    var shownText: String {
        let clean = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(300)
        return clean.isEmpty ? "The server gave no reason." : String(String.UnicodeScalarView(clean))
    }

    /// Gmail and others put the reason into the text, even for `OK`.
    var asksForPatience: Bool {
        if word == "THROTTLED" { return true }
        // Nearly every answer ends here.
        guard kind != .ok || text.utf8.contains(UInt8(ascii: "[")) else { return false }
        let text = text.lowercased()
        return text.contains("[throttled]") || text.contains("request is throttled")
            || isOverQuotaOfTraffic(text)
    }

    /// Exchange accepts the sign-in of users whose mailbox it does not open through IMAP.
    fileprivate var hasNoMailbox: Bool { text.lowercased().contains("authenticated but not connected") }

    /// Whether a temporary failure affects the whole account, not just a mailbox or change.
    fileprivate func concernsAll(_ command: String) -> Bool {
        switch command {
        case "AUTHENTICATE", "LOGIN", "CAPABILITY", "signing in", "BYE": true
        default: false
        }
    }

    /// The server is temporarily unavailable. Many servers only say so in the text, and reject sign-ins as if
    /// the password were wrong.
    var isUnableNow: Bool {
        let text = text.lowercased()
        return [
            "server unavailable", "service unavailable", "temporarily", "temporary", "try again",
            "internal error", "internal server error", "system error", "backend error", "server busy",
            "server error", "timed out",
        ].contains(where: text.contains)
    }

    /// Too much was read or written in a day. `OVERQUOTA` of a full mailbox is another thing: that is
    /// an answer to what adds a message, and waiting does not help.
    private func isOverQuotaOfTraffic(_ text: String) -> Bool {
        // Some use their own response code, some an alert.
        text.contains("command or bandwidth limits")
            || (word == "OVERQUOTA" || text.contains("[overquota]"))
                && (kind == .bye || text.contains("bandwidth") || text.contains("command limit"))
    }

    var isTooManyConnections: Bool {
        text.lowercased().contains("too many simultaneous") || text.lowercased().contains("connection limit")
            || text.lowercased().contains("too many connections")
            || text.lowercased().contains("maximum number of connections")
    }
}
