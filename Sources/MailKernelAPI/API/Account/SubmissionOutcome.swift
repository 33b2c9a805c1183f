public import FoundationEssentials

/// The result of handing over a message. The kernel never sends a message twice unless the user asks.
public enum SubmissionOutcome: Sendable, Hashable, Codable {
    /// The service accepted the message for all recipients except those in `refused`, which maps addresses of
    /// `Envelope.rcptTo` to the reasons. The kernel retries transient refusals.
    case accepted(SubmissionReply, refused: [String: SubmissionReply])
    /// The service accepted the message for no recipient. `refused` holds the reasons for single recipients, as far as
    /// there are any. The kernel retries if the reply is transient.
    case rejected(SubmissionReply, refused: [String: SubmissionReply])
    /// The connection was lost after the message and before the service's reply, so the message may have been sent.
    /// The kernel calls `AccountSession.findSent` before another try.
    case unknown
}

extension SubmissionOutcome {
    /// What a submission server said.
    public init(_ outcome: SMTPOutcome) {
        self =
            switch outcome {
            case .accepted(let reply, let refused):
                .accepted(SubmissionReply(reply), refused: refused.mapValues { SubmissionReply($0) })
            case .rejected(let reply, let refused):
                .rejected(SubmissionReply(reply), refused: refused.mapValues { SubmissionReply($0) })
            case .unknown: .unknown
            }
    }
}

/// For how long a service holds a message before it delivers it (RFC 4865).
public struct HoldLimits: Sendable, Hashable, Codable {
    /// Seconds from now on, at most.
    public var maxSeconds: Int
    /// The latest moment; nil if the service names none.
    public var latest: Date?
    /// Whether `AccountSession.cancelHeld` can take a message back until it is delivered.
    public var canCancel: Bool

    public init(maxSeconds: Int, latest: Date? = nil, canCancel: Bool = false) {
        self.maxSeconds = maxSeconds
        self.latest = latest
        self.canCancel = canCancel
    }
}

/// What a service says about a message, or about one of its recipients.
public struct SubmissionReply: Sendable, Hashable, Codable {
    /// The service's words. The user can see them.
    public var text: String
    /// Whether another try later may succeed.
    public var isTransient: Bool
    /// The reply of the service's SMTP server; nil if the service speaks another protocol and quotes none.
    public var smtp: SMTPReply?

    public init(_ text: String, isTransient: Bool = false) {
        self.text = text
        self.isTransient = isTransient
    }

    public init(_ smtp: SMTPReply) {
        self.init(smtp.text, isTransient: smtp.isTransient)
        self.smtp = smtp
    }

    /// The reply of an SMTP server, as in `SMTPReply`.
    public init(code: Int, enhancedCode: String? = nil, text: String) {
        self.init(SMTPReply(code: code, enhancedCode: enhancedCode, text: text))
    }
}
