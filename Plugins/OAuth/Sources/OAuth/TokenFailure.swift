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

    /// The errors of OAuth, Google and Microsoft that a person can do something about.
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
        case consentRequired = "consent_required"
        case adminConsent = "admin_consent_required"
        case conditionalAccess = "conditional_access"
        case unknownClient = "unknown_client"
        case otherOrganization = "other_organization"
        case somethingElse

        /// Whether a different client is needed; signing in again would not help.
        public var isAboutTheClient: Bool {
            switch self {
            case .invalidClient, .unauthorizedClient, .deletedClient, .disabledClient, .unknownClient: true
            default: false
            }
        }

        /// - Parameter description: in words, which begin with a number where Microsoft says more than OAuth can.
        ///   Nothing else of it is read.
        init(_ code: String, description: String? = nil) {
            self = description.flatMap(Self.numbered) ?? Refusal(rawValue: code) ?? .somethingElse
        }

        private static let mark = "AADSTS"

        private static func numbered(_ description: String) -> Refusal? {
            guard description.hasPrefix(mark) else { return nil }
            switch Int(description.dropFirst(mark.count).prefix { $0.isNumber }) {
            case 65_001, 65_004: return .consentRequired
            case 90_008, 90_090, 90_093, 90_094, 90_095: return .adminConsent
            case 50_005, 50_097, 50_105, 50_158, 53_000, 53_001, 53_002, 53_003, 53_004, 53_011, 530_032:
                return .conditionalAccess
            case 700_016, 90_013: return .unknownClient
            case 7_000_218, 7_000_215, 700_025: return .unauthorizedClient
            case 50_011: return .redirectMismatch
            case 50_020, 50_194, 9_002_331, 9_002_346, 500_200: return .otherOrganization
            default: return nil
            }
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
            case .consentRequired:
                "\(service) needs your consent to read and send mail. Sign in again and accept."
            case .adminConsent:
                "Your organization requires its administrator's consent at \(service). The guide has a text that "
                    + "you can send them."
            case .conditionalAccess:
                "A rule of your organization at \(service) does not allow this sign-in from this computer or this "
                    + "program. The guide has a text that you can send to the administrator."
            case .unknownClient:
                "\(service) does not know this client in your organization. Check the client ID."
            case .otherOrganization:
                "This client does not accept accounts of your kind or organization. At \(service), let it accept "
                    + "accounts of any organization and personal ones."
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
