public import FoundationEssentials

/// What a failed call of a service prevents, from little to much.
public enum FailureScope: Comparable, Sendable, Codable {
    /// The call itself. Others may work.
    case call
    /// Reading this mailbox.
    case mailbox
    /// Everything on this server. An account may have another one for sending.
    case server
    /// Everything in this account.
    case account
    /// Everything in all accounts.
    case network
}

/// When a failed call of a service may work.
public enum FailureRetry: Hashable, Sendable, Codable {
    /// After the pauses of the caller's `RetrySchedule`.
    case onSchedule
    /// Not before the time that the service named.
    case notBefore(Date)
    /// Once the sign-in is accepted: a few tries, then the user is asked.
    case afterSignIn
    /// Once the user has unlocked the secret store.
    case afterUnlocking
    /// Not as it is.
    case never
}

/// The classification of failures, which the kernel and plugins share. The case itself is the cause.
extension AccountError {
    /// What the failure prevents.
    public var scope: FailureScope {
        switch self {
        case .offline: .network
        case .authenticationRequired, .denied, .throttled, .secrets, .cancelled: .account
        case .unreachable, .insecure: .server
        case .cursorExpired: .mailbox
        case .refused, .notFound, .badAnswer, .unsupported, .invalid, .local: .call
        }
    }

    /// When the call may work. A refusal may be temporary.
    public var retry: FailureRetry {
        switch self {
        case .authenticationRequired, .denied: .afterSignIn
        case .throttled(let until?): .notBefore(until)
        case .secrets(.locked): .afterUnlocking
        case .notFound, .unsupported, .invalid: .never
        case .offline, .unreachable, .insecure, .throttled, .refused, .cursorExpired, .badAnswer, .secrets,
            .cancelled, .local:
            .onSchedule
        }
    }

    /// `retry` for `AccountSession.submit`, where a temporary refusal is a `SubmissionOutcome` and not an error.
    public var retryOfSubmission: FailureRetry { if case .refused = self { .never } else { retry } }

    /// Whether nothing else can be done in this account at the moment, since its mail is on one server.
    public var concernsWholeAccount: Bool { scope >= .server }

    /// Whether nothing was wrong with the call: the connection was lost, or never existed.
    public var isConnectionLoss: Bool {
        if case .unreachable = self { true } else { self == .offline }
    }

    /// The meaning of a failed connection for an account.
    public init(_ error: NetworkError) {
        switch error {
        case .offline: self = .offline
        case .unreachable(let host, let reason): self = .unreachable(host: host, reason: reason)
        case .insecure(let host, let reason): self = .insecure(host: host, reason: reason)
        case .hostNotAllowed(let host):
            self = .local(
                reason:
                    "\(host) cannot be contacted: it is listed neither in the plugin's manifest nor in your settings."
            )
        case .badAnswer(_, let reason): self = .badAnswer(reason)
        case .loginRefused(_, let reply): self = .authenticationRequired(reason: reply)
        case .closed(let host): self = .unreachable(host: host, reason: "The connection was closed.")
        case .cancelled: self = .cancelled
        case .local(let reason): self = .local(reason: reason)
        }
    }
}

extension NetworkError {
    /// Whether the same request may work in a while, because the connection failed and not the request.
    public var isPassing: Bool {
        switch self {
        case .offline, .unreachable, .closed: true
        case .insecure, .hostNotAllowed, .badAnswer, .loginRefused, .cancelled, .local: false
        }
    }
}
