import FoundationEssentials
import MailKernelAPI

extension String {
    /// How much of a plugin's text is shown, logged and stored.
    private static let longest = 2_000

    /// Text from a plugin, cut to a readable length, without control characters other than line breaks and tabs, and
    /// without invisible ones, which could reverse it.
    package var cut: String {
        // In scalars, because a single character can consist of any number of them.
        let isLong = utf8.count > Self.longest
        guard isLong || unicodeScalars.contains(where: \.isInvisible) else { return self }
        var scalars = UnicodeScalarView(unicodeScalars.prefix(Self.longest).filter { !$0.isInvisible })
        if isLong { scalars.append("…") }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch self {
        case "\n", "\t": false
        // Joiners are part of Persian and Indic words.
        case "\u{200C}", "\u{200D}": false
        case " "..."~": false
        default: [.control, .format].contains(properties.generalCategory)
        }
    }
}

extension URL {
    /// Whether it can be shown as a link: of limited length and one of these schemes; "" for one without.
    package func isLink(_ schemes: Set<String>) -> Bool {
        absoluteString.utf8.count <= AnswerLimits.textBytes && schemes.contains(scheme?.lowercased() ?? "")
    }
}

extension AccountError {
    /// The error with limited texts and without a time that is not finite.
    package var held: AccountError {
        switch self {
        case .unreachable(let host, let reason): .unreachable(host: host.cut, reason: reason.cut)
        case .insecure(let host, let reason): .insecure(host: host.cut, reason: reason.cut)
        case .authenticationRequired(let reason): .authenticationRequired(reason: reason.cut)
        case .throttled(let until):
            .throttled(until: until.flatMap { $0.timeIntervalSince1970.isFinite ? $0 : nil })
        case .refused(let words): .refused(words.cut)
        case .badAnswer(let reason): .badAnswer(reason.cut)
        case .unsupported(let what): .unsupported(what.cut)
        case .invalid(let field, let reason): .invalid(field: field.cut, reason: reason.cut)
        case .secrets(.unavailable(let reason)): .secrets(.unavailable(reason: reason.cut))
        case .local(let reason): .local(reason: reason.cut)
        case .offline, .denied, .notFound, .cursorExpired, .secrets(.locked), .cancelled: self
        }
    }
}

extension ModelError {
    /// The error with limited texts and numbers.
    package var held: ModelError {
        switch self {
        case .badFile(let reason): .badFile(reason: reason.cut)
        case .unsupported(let what): .unsupported(what.cut)
        case .failed(let reason): .failed(reason: reason.cut)
        case .noSpace(let needed, let free): .noSpace(needed: max(0, needed), free: max(0, free))
        case .notAvailable, .network, .verificationFailed, .cancelled: self
        }
    }
}

extension NotificationError {
    /// The error with limited texts.
    package var held: NotificationError {
        switch self {
        case .unavailable(let reason): .unavailable(reason: reason.cut)
        case .refused(let reason): .refused(reason.cut)
        case .denied: .denied
        }
    }
}

extension SubmissionOutcome {
    /// The outcome with limited texts.
    package var held: SubmissionOutcome {
        func held(_ reply: SubmissionReply) -> SubmissionReply {
            var reply = reply
            reply.text = reply.text.cut
            if let smtp = reply.smtp {
                reply.smtp = SMTPReply(
                    code: smtp.code, enhancedCode: smtp.enhancedCode?.cut, text: smtp.text.cut)
            }
            return reply
        }
        return switch self {
        case .accepted(let reply, let refused): .accepted(held(reply), refused: refused.mapValues(held))
        case .rejected(let reply, let refused): .rejected(held(reply), refused: refused.mapValues(held))
        case .unknown: .unknown
        }
    }
}
