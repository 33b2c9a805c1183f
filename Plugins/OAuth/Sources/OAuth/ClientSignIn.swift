public import FoundationEssentials
public import MailKernelAPI
import SigningIn

/// The form of a service whose users bring a client of their own.
public protocol ClientForm: Sendable {
    /// The fields that ask who signs in.
    func accountFields(_ setupID: String) -> [FormField]

    /// What `BrowserSignIn.note` keeps of them: `ClientSignIn.address`, and more if the service needs it.
    func note(in answers: [String: Secret], _ setupID: String) throws(AccountError) -> [String: String]

    /// - Parameters:
    ///   - initialID: the ID that the account used last.
    ///   - isRequired: false if a client is known, which is used for empty fields.
    func clientFields(initialID: String, isRequired: Bool) -> [FormField]
    func namesClient(_ answers: [String: Secret]) -> Bool
    func client(in answers: [String: Secret]) throws(AccountError) -> OAuthClient
}

/// The way from a setup through a form and the browser to tokens, with a client that the user brought.
public struct ClientSignIn: Sendable {
    /// The address that signs in, in `BrowserSignIn.note`.
    public static let address = "address"

    /// A sign-in that the service accepted.
    public struct Result: Sendable {
        public let address: String
        public let note: [String: String]
        public let client: OAuthClient
        public let refreshToken: Secret
        public let accessToken: Secret
    }

    /// The state while the form is filled in.
    private struct Asked: SignInState {
        let setupID: String
        let redirect: URL
        /// Nil if the form asks for it.
        let note: [String: String]?
        let asksForClient: Bool
    }

    private let endpoint: TokenEndpoint
    private let memory: ClientMemory
    private let form: any ClientForm

    public init(_ endpoint: TokenEndpoint, memory: ClientMemory, form: any ClientForm) {
        self.endpoint = endpoint
        self.memory = memory
        self.form = form
    }

    /// The form, or the browser if nothing has to be asked.
    ///
    /// - Parameters:
    ///   - redirect: the request's, as the service has it registered.
    ///   - note: who signs in, if that is known.
    ///   - lastClientID: of an account that signs in again.
    public func begin(
        _ request: AuthorizationRequest, redirect: URL, note: [String: String]?, lastClientID: String?
    ) async throws(AccountError) -> AuthorizationStep {
        let known = try await memory.known()
        if let known, let note { return try browser(known, note, redirect) }
        var fields = note == nil ? form.accountFields(request.setupID) : []
        let asksForClient = known == nil || memory.isTyped
        if asksForClient {
            fields += form.clientFields(initialID: lastClientID ?? "", isRequired: known == nil)
        }
        let asked = Asked(
            setupID: request.setupID, redirect: redirect, note: note, asksForClient: asksForClient)
        return .form(fields, memory: asked.secret)
    }

    public func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        let asked = try Asked(memory)
        let note: [String: String]
        if let known = asked.note { note = known } else { note = try form.note(in: answers, asked.setupID) }
        if asked.asksForClient, form.namesClient(answers) {
            return try browser(try form.client(in: answers), note, asked.redirect)
        }
        if let known = try await self.memory.known() { return try browser(known, note, asked.redirect) }
        // Forgotten while the form was open, or never there: the form says what is missing.
        return try browser(try form.client(in: answers), note, asked.redirect)
    }

    private func browser(
        _ client: OAuthClient, _ note: [String: String], _ redirect: URL
    ) throws(AccountError) -> AuthorizationStep {
        let signIn = BrowserSignIn(client: client, redirect: redirect, note: note)
        return .browser(
            try signIn.page(of: endpoint.service, loginHint: note[Self.address]), memory: signIn.memory)
    }

    /// - Parameter check: whether the grant is enough.
    public func cameBack(
        _ items: [String: String], _ memory: Secret,
        check: (TokenGrant) throws(AccountError) -> Void = { _ in }
    ) async throws(AccountError) -> Result {
        let signIn = try BrowserSignIn(memory: memory)
        guard let address = signIn.note[Self.address] else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        let grant = try await endpoint.finish(signIn, with: items) { refusal in
            if refusal.isAboutTheClient { await self.memory.forget(signIn.client) }
        }
        try check(grant)
        guard let refreshToken = grant.refreshToken else {
            throw .authenticationRequired(
                reason: "\(endpoint.service.name) granted access for one hour only.")
        }
        self.memory.note(signIn.client)
        return Result(
            address: address, note: signIn.note, client: signIn.client, refreshToken: refreshToken,
            accessToken: grant.accessToken)
    }
}
