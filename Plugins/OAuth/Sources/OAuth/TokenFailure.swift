import FoundationEssentials
public import MailKernelAPI

/// Why a service gave no token. Holds no word of the service's own: it was told secrets, and could repeat them.
public enum TokenFailure: Error, Sendable, Hashable {
    case network(NetworkError)
    /// It said no.
    case refused(Refusal)
    /// It cannot at the moment.
    case busy(status: Int)
    /// Its answer is not what OAuth allows.
    case notUnderstood

    /// The errors of OAuth and of Google that a person can do something about.
    public enum Refusal: String, Sendable, Hashable {
        case invalidGrant = "invalid_grant"
        case invalidClient = "invalid_client"
        case unauthorizedClient = "unauthorized_client"
        case deletedClient = "deleted_client"
        case disabledClient = "disabled_client"
        case invalidScope = "invalid_scope"
        case accessDenied = "access_denied"
        case adminPolicy = "admin_policy_enforced"
        case onlyInternal = "org_internal"
        case redirectMismatch = "redirect_uri_mismatch"
        case somethingElse

        /// Whether a different client is needed; signing in again would not help.
        public var isAboutTheClient: Bool {
            switch self {
            case .invalidClient, .unauthorizedClient, .deletedClient, .disabledClient: true
            default: false
            }
        }

        init(_ code: String) {
            self = Refusal(rawValue: code) ?? .somethingElse
        }

        /// - Parameter service: its name.
        func sentence(_ service: String) -> String {
            switch self {
            case .invalidGrant:
                "\(service) no longer accepts this sign-in. This happens after you change your password or revoke "
                    + "access, and after a few days while the client is in testing."
            case .invalidClient:
                "\(service) does not recognize this client, or the secret is wrong."
            case .deletedClient: "This client was deleted at \(service)."
            case .disabledClient: "This client was turned off at \(service)."
            case .unauthorizedClient:
                "\(service) does not let this client sign in. It must be a client for desktop apps."
            case .invalidScope: "\(service) does not allow this client to read and send mail."
            case .accessDenied: "\(service) denied access."
            case .adminPolicy: "The administrator of this account at \(service) does not allow this client."
            case .onlyInternal: "This client is only for accounts of the organization that created it."
            case .redirectMismatch:
                "\(service) does not let the browser return to mailkernel. The client must be one for desktop "
                    + "apps."
            case .somethingElse: "\(service) refused the sign-in without a known reason."
            }
        }
    }

    /// Whether the same request may work in a while.
    var isPassing: Bool {
        switch self {
        case .busy, .notUnderstood, .network(.badAnswer): true
        // The kernel waits for the network.
        case .refused, .network(.offline): false
        case .network(let error): error.isPassing
        }
    }

    /// The error for an account.
    public func accountError(_ service: OAuthService) -> AccountError {
        switch self {
        case .network(.loginRefused):
            .authenticationRequired(reason: Refusal.somethingElse.sentence(service.name))
        case .network(let error): AccountError(error)
        case .refused(let refusal): .authenticationRequired(reason: refusal.sentence(service.name))
        case .busy: .throttled(until: nil)
        case .notUnderstood: .badAnswer("the token response is invalid")
        }
    }
}
