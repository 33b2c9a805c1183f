import FoundationEssentials
import MailKernelAPI

/// What a failed call of a service prevents, from little to much.
package enum FailureScope: Int, Comparable, Sendable {
    case call, mailbox, account, network

    package static func < (one: FailureScope, other: FailureScope) -> Bool { one.rawValue < other.rawValue }
}

/// When a failed call of a service may work.
package enum FailureRetry: Equatable, Sendable {
    /// On the caller's `RetrySchedule`.
    case onSchedule
    /// Not before the time that the service named.
    case notBefore(Date)
    /// Once the sign-in is accepted: a few tries, then the user is asked.
    case afterSignIn
    /// Once the user has unlocked the secret store.
    case afterUnlocking
    case never
}

/// The classification of failures. The case itself is the cause.
extension AccountError {
    package var scope: FailureScope {
        switch self {
        case .offline, .unreachable, .insecure: .network
        case .authenticationRequired, .denied, .throttled, .secrets, .cancelled: .account
        case .cursorExpired: .mailbox
        case .refused, .notFound, .badAnswer, .unsupported, .invalid, .local: .call
        }
    }

    /// A refusal may be temporary (FR-SYNC-05).
    package var retry: FailureRetry {
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

    /// Nothing can be done for this account at the moment, whatever the change.
    package var concernsWholeAccount: Bool { scope >= .account }

    /// What the user reads.
    package var sentence: String {
        switch self {
        case .offline: "Network unavailable. Check your connection and try again."
        case .unreachable(let host, let reason): "\(host) does not respond: \(Self.ended(reason))"
        case .insecure(let host, let reason):
            "The connection to \(host) is not secure: \(Self.ended(reason)) Nothing was sent."
        case .authenticationRequired(let reason): "Sign in again: \(Self.ended(reason))"
        case .denied: "Access was declined on the service's page."
        case .throttled: "The service is busy. mailkernel will try again later."
        case .refused(let words): "The server refused: \(words)"
        case .notFound: "This no longer exists."
        case .cursorExpired: "The mailbox is being read again."
        case .badAnswer: "The service sent an invalid response."
        case .unsupported(let what): "This account does not support \(what)."
        case .invalid(_, let reason): reason
        case .secrets(.locked): "Your secret store is locked. Unlock it and try again."
        case .secrets(.unavailable(let reason)): "Your secret store cannot be used: \(reason)"
        case .cancelled: "Canceled."
        case .local(let reason): reason
        }
    }

    /// The same for the log, including the details of an invalid response, which help its reader.
    package var logSentence: String {
        if case .badAnswer(let reason) = self {
            sentence + " Reason: \(Self.ended(reason))"
        } else {
            sentence
        }
    }

    /// Reasons of servers and plugins come with a full stop and without.
    package static func ended(_ reason: String) -> String {
        reason.last.map { ".!?”)".contains($0) } == true ? reason : reason + "."
    }
}
