import Digest
public import FoundationEssentials
public import MailKernelAPI
import SigningIn

/// A sign-in in progress in the browser, with the state that must be kept.
public struct BrowserSignIn: Sendable {
    public let client: OAuthClient
    /// What the plugin wants to have back, such as the address that was typed.
    public let note: [String: String]
    let state: String
    let proof: ProofKey
    let redirect: String

    /// - Parameter redirect: the loopback address that the browser comes back to.
    public init(client: OAuthClient, redirect: URL, note: [String: String] = [:]) {
        self.client = client
        self.note = note
        self.redirect = redirect.absoluteString
        state = Data.randomSecret().base64URL
        proof = ProofKey()
    }

    // MARK: Remembering

    private struct Kept: SignInState {
        let clientID: String
        let clientSecret: String?
        let state: String
        let verifier: String
        let redirect: String
        let note: [String: String]
    }

    /// For `AuthorizationStep.browser`.
    public var memory: Secret {
        Kept(
            clientID: client.id, clientSecret: client.secret?.revealed, state: state,
            verifier: proof.verifier, redirect: redirect, note: note
        ).secret
    }

    public init(memory: Secret) throws(AccountError) {
        let kept = try Kept(memory)
        client = OAuthClient(id: kept.clientID, secret: kept.clientSecret.map { Secret($0) })
        note = kept.note
        state = kept.state
        proof = ProofKey(verifier: kept.verifier)
        redirect = kept.redirect
    }

    // MARK: There

    /// The page to open.
    ///
    /// - Parameter loginHint: the address that signs in, so that the user need not choose or type it.
    public func page(of service: OAuthService, loginHint: String?) throws(AccountError) -> URL {
        guard let challenge = proof.challenge else {
            throw .local(reason: "SHA-256 is not available on this system.")
        }
        var items: [(name: String, value: String)] = [
            ("client_id", client.id), ("redirect_uri", redirect), ("response_type", "code"),
            ("scope", service.scopes.joined(separator: " ")), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if let loginHint { items.append(("login_hint", loginHint)) }
        items += service.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let page = service.authorization.absoluteString
        let separator = page.contains("?") ? "&" : "?"
        guard let url = URL(string: page + separator + FormText.encode(items)) else {
            throw .local(reason: "The address of the sign-in page is invalid.")
        }
        return url
    }

    // MARK: And back

    /// The code that the browser brought back.
    ///
    /// - Throws: `.denied` if the user refused there.
    func code(from items: [String: String], service: OAuthService) throws(AccountError) -> Secret {
        // A response without it belongs to a different sign-in, whether it is an error or a code.
        guard let given = items["state"],
            Data(given.utf8).isEqualInConstantTime(to: Data(state.utf8))
        else {
            throw .badAnswer("the browser returned from a different sign-in")
        }
        if let error = items["error"] {
            let refusal = TokenFailure.Refusal(error, description: items["error_description"])
            if refusal == .accessDenied { throw .denied }
            throw TokenFailure.refused(refusal).accountError(service)
        }
        guard let code = items["code"], (1...4_096).contains(code.utf8.count) else {
            throw .badAnswer("the browser returned without a code")
        }
        return Secret(code)
    }
}
