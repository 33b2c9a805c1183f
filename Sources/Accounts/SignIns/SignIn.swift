import FoundationEssentials
import MailKernelAPI

/// A sign-in as shown to the user: its state and the form. It contains no secret.
package struct SignIn: Sendable, Hashable {
    package enum Phase: String, Sendable {
        /// The user fills in `fields`.
        case form
        /// The user is at `url`, in the browser.
        case browser
        /// The user enters `code` at `url`, on any device.
        case code
        case working
        /// `problem` says why; without one, the user declined at the service.
        case failed
        case done
    }

    package struct Problem: Sendable, Hashable {
        /// A sentence or two, as the specification has them.
        package var sentence: String
        /// What lies behind it.
        package var reason: String?
        /// The field of the form that it is about.
        package var field: String?

        init(_ sentence: String, reason: String? = nil, field: String? = nil) {
            self.sentence = sentence
            self.reason = reason
            self.field = field
        }
    }

    package let id: String
    /// Which way of adding an account it is, or of signing in to one; nil for an account that signs in again.
    package let setupID: String?
    /// The account that signs in again.
    package let accountID: Id<Account>?
    package internal(set) var phase = Phase.working
    package internal(set) var fields: [FormField]?
    package internal(set) var url: URL?
    package internal(set) var code: SignInCode?
    package internal(set) var problem: Problem?
    package internal(set) var addedAccountIDs: [Id<Account>] = []
}

/// Why an operation on a sign-in was refused.
package enum SignInRefusal: Error, Sendable, Hashable {
    /// There is no such setup, account or sign-in.
    case notFound
    /// Too many sign-ins are open; some must have been forgotten.
    case tooMany
    /// It does not wait for this now.
    case notNow
    /// The form has no such field.
    case unknownField(String)
}

/// What became of a sign-in when the browser came back.
package enum SignInLanding: Sendable, Hashable {
    case done
    case declined
    case failed(SignIn.Problem)
    /// It takes longer than a browser is kept waiting; the page shows how it ends.
    case working
    /// It continues in the page.
    case goesOn
    /// No sign-in waits for this.
    case unknown
}

extension SignIn.Problem {
    /// Why signing in failed; nil if the user declined, which they know.
    static func authorizing(_ error: AccountError) -> SignIn.Problem? {
        if error == .denied { return nil }
        let problem = SignIn.Problem(AccountError.offline.sentence)
        if error == .offline { return problem }
        return SignIn.Problem(
            error.isConnectionLoss ? problem.sentence : "Authentication failed. Please try again.",
            reason: error.signInSentence)
    }

    /// Why an account that had signed in was not added, or not used with the new sign-in.
    ///
    /// - Parameter isThere: the account was added before, and has signed in again.
    static func adding(_ error: any Error, serviceName: String, isThere: Bool = false) -> SignIn.Problem {
        let failed = isThere ? "The new sign-in was not saved." : "The account was not added."
        return switch error {
        case AccountError.offline:
            SignIn.Problem(AccountError.offline.sentence)
        case let error as AccountError where error.isAboutConnection:
            SignIn.Problem("Couldn't connect to \(serviceName).", reason: error.signInSentence)
        case let error as AccountError:
            SignIn.Problem(
                "Couldn't connect to \(serviceName). Please check account permissions.",
                reason: error.signInSentence)
        case let error as SecretError:
            SignIn.Problem(failed, reason: AccountError.secrets(error).sentence)
        case let error as StorageError:
            SignIn.Problem(failed, reason: error.sentence)
        default: SignIn.Problem("\(error)")
        }
    }
}

extension AccountError {
    /// Whether permissions have nothing to do with it.
    fileprivate var isAboutConnection: Bool {
        switch self {
        case .offline, .unreachable, .insecure, .throttled: true
        case .authenticationRequired, .denied, .refused, .notFound, .cursorExpired, .badAnswer, .unsupported,
            .invalid, .secrets, .cancelled, .local:
            false
        }
    }
}

extension FormField {
    /// The problem with an answer, or nil.
    func problem(with answer: String) -> String? {
        guard !answer.isEmpty else { return isRequired ? "Please fill in “\(label)”." : nil }
        guard answer.utf8.count <= 4096 else { return "“\(label)” is too long." }
        switch kind {
        case .port:
            return Int(answer).map { (1...65535).contains($0) } == true
                ? nil : "“\(label)” must be a number from 1 to 65535."
        case .choice(let choices):
            return choices.contains { $0.value == answer } ? nil : "Please choose an option for “\(label)”."
        case .text, .email, .password, .host: return nil
        }
    }

    /// The field with the user's previous input; passwords must be typed again.
    func filled(with answers: [String: Secret]) -> FormField {
        guard kind != .password, let answer = answers[name] else { return self }
        var field = self
        field.initialValue = answer.revealed
        return field
    }
}
