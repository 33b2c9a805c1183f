import FoundationEssentials
import MailKernelAPI
import SigningIn

/// What a found sign-in remembers between its steps.
struct FoundState: SignInState {
    /// A way to sign in.
    enum Way: String, Codable {
        case browser
        case code
        case password
    }

    /// Tells this memory from a plugin's own.
    private static let mark = "found sign-in 1"

    private var kind = Self.mark
    let issuer: URL
    let address: String
    let redirect: String
    let allowsPassword: Bool
    let resource: String?
    let note: [String: String]
    /// The hosts that the user has agreed to.
    var seen: Set<String>
    /// Those of them that a form has shown.
    var agreed: Set<String> = []
    /// Those that the current form shows.
    var asked: [String] = []
    var asksForClient = false
    var server: ServerMetadata?
    var client: RegisteredClient?
    /// Whether a client was refused and replaced already.
    var isRepeated = false
    var browser: String?
    var device: DeviceSignIn?

    init(_ start: FoundSignIn.Start) {
        issuer = start.issuer
        address = start.address
        redirect = start.redirect.absoluteString
        allowsPassword = start.allowsPassword
        resource = start.resource
        note = start.note
        seen = start.seen
    }

    /// Nil for the memory of another step.
    static func known(_ memory: Secret) -> FoundState? {
        guard let state = try? FoundState(memory), state.kind == mark else { return nil }
        return state
    }

    /// The ways that there may be, before the server was asked.
    var waysBefore: [Way] { allowsPassword ? [.browser, .password] : [] }

    func ways(of server: ServerMetadata) -> [Way] {
        var ways: [Way] = server.authorization == nil ? [] : [.browser]
        if server.deviceAuthorization != nil { ways.append(.code) }
        if allowsPassword { ways.append(.password) }
        return ways
    }

    func service(of server: ServerMetadata) -> OAuthService {
        FoundService.service(
            server, issuer: issuer, scopes: MailScopes.wanted(server.scopes), resource: resource)
    }
}
