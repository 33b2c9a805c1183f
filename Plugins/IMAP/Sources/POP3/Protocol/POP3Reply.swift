import FoundationEssentials
import MailKernelAPI

/// The first line of an answer.
struct POP3Reply: Sendable, Equatable {
    enum Kind: Sendable { case ok, error, question }

    var kind: Kind
    /// The response code (RFC 2449, 3206), such as `IN-USE`; nil if there is none.
    var code: String?
    var text: String

    var isOK: Bool { kind == .ok }

    /// Nil for a line that is not one of POP3.
    init?(_ line: String) {
        var rest = line[...]
        if rest.hasPrefix("+OK") {
            kind = .ok
        } else if rest.hasPrefix("-ERR") {
            kind = .error
        } else if rest == "+" || rest.hasPrefix("+ ") {
            kind = .question
        } else {
            return nil
        }
        rest = rest.drop { $0 != " " }.drop { $0 == " " }
        if kind != .question, rest.first == "[", let end = rest.firstIndex(of: "]") {
            code = rest[rest.index(after: rest.startIndex)..<end].uppercased()
            rest = rest[rest.index(after: end)...].drop { $0 == " " }
        }
        text = String(rest)
    }

    /// What the user reads: without control characters, and not too much of it.
    var shownText: String {
        let clean = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(300)
        return clean.isEmpty ? "The server gave no reason." : String(String.UnicodeScalarView(clean))
    }
}

extension POP3Reply {
    /// What a refusal means.
    ///
    /// - Parameters:
    ///   - isSignIn: it answers a user name, password or token.
    ///   - retryAt: the earliest time for the next sign-in, as the server's capabilities say; nil if they do not.
    func error(from endpoint: Endpoint, isSignIn: Bool = false, retryAt: Date? = nil) -> AccountError {
        switch code {
        case "IN-USE": return busy(endpoint)
        case "LOGIN-DELAY": return .throttled(until: retryAt)
        case "SYS/TEMP": return .unreachable(host: endpoint.host, reason: shownText)
        case "SYS/PERM": return .refused(shownText)
        case "AUTH": return .authenticationRequired(reason: shownText)
        default: break
        }
        // Servers without codes say it in the text only.
        let words = text.lowercased()
        if ["lock", "in use", "another session", "already open"].contains(where: words.contains) {
            return busy(endpoint)
        }
        if ["too many", "too often", "login delay", "login rate"].contains(where: words.contains) {
            return .throttled(until: retryAt)
        }
        if ["temporar", "try again", "unavailable", "internal", "server error", "timed out"]
            .contains(where: words.contains)
        {
            return .unreachable(host: endpoint.host, reason: shownText)
        }
        return isSignIn ? .authenticationRequired(reason: shownText) : .refused(shownText)
    }

    private func busy(_ endpoint: Endpoint) -> AccountError {
        .unreachable(
            host: endpoint.host, reason: "The mailbox is in use by another mail program. (\(shownText))")
    }
}
