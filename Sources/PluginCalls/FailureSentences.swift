import MailKernelAPI

extension AccountError {
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
        case .cursorExpired: "The folder is being read again."
        case .badAnswer: "The service sent an invalid response."
        case .unsupported(let what): "This account does not support \(what)."
        case .invalid(_, let reason): reason
        case .secrets(.locked): "Your secret store is locked. Unlock it and try again."
        case .secrets(.unavailable(let reason)): "Your secret store cannot be used: \(reason)"
        case .cancelled: "Canceled."
        case .local(let reason): reason
        }
    }

    /// The same for a user who is signing in, where texts about retrying do not apply.
    package var signInSentence: String {
        switch self {
        case .throttled: "The service is busy. Try again in a few minutes."
        case .authenticationRequired(let reason): "The sign-in was refused: \(Self.ended(reason))"
        case .offline, .unreachable, .insecure, .denied, .refused, .notFound, .cursorExpired, .badAnswer,
            .unsupported, .invalid, .secrets, .cancelled, .local:
            sentence
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
