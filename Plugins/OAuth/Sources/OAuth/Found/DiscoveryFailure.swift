public import MailKernelAPI

/// Why the server where a service signs people in cannot be used. Holds no word of the server's own.
public enum DiscoveryFailure: Error, Sendable, Hashable {
    case network(NetworkError)
    /// It cannot answer at the moment.
    case busy(status: Int)
    /// Nothing is at the usual places.
    case notFound
    /// What is there is too large, or not what the standard allows.
    case notUnderstood
    /// It speaks of another issuer or resource.
    case otherIssuer
    /// It leads to the page of another service.
    case otherPage
    /// It names a place without encryption, or one that cannot be.
    case unsafePlace
    /// It offers no way that can be used: a browser with a proof key (S256), or a code.
    case noWay
    /// It takes only programs that it knows.
    case noRegistration
    /// It did not register this program.
    case registrationRefused

    /// - Parameter server: its name.
    func sentence(_ server: String) -> String {
        switch self {
        case .network: "\(server) cannot be reached."
        case .busy: "\(server) does not respond at the moment."
        case .notFound: "\(server) does not describe how people sign in there."
        case .notUnderstood: "\(server) sent an invalid description of its sign-in."
        case .otherIssuer: "\(server) sent the description of a different server."
        case .otherPage: "\(server) leads to the sign-in page of a different service."
        case .unsafePlace: "\(server) names an address for signing in that is not encrypted or not valid."
        case .noWay: "\(server) does not offer a safe way to sign in with the browser."
        case .noRegistration: "\(server) accepts only mail apps that are registered there."
        case .registrationRefused: "\(server) did not register mailkernel."
        }
    }

    func accountError(_ server: String) -> AccountError {
        switch self {
        case .network(let error): AccountError(error)
        case .busy: .throttled(until: nil)
        case .notFound, .notUnderstood, .otherIssuer, .noWay, .noRegistration, .registrationRefused:
            .refused(sentence(server))
        case .unsafePlace, .otherPage: .insecure(host: server, reason: sentence(server))
        }
    }

    /// Whether another way to sign in would fail as well.
    var isAboutThisDevice: Bool {
        switch self {
        case .network(.offline), .network(.cancelled), .network(.local): true
        default: false
        }
    }
}
