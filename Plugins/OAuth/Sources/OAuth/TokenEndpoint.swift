import FoundationEssentials
public import MailKernelAPI

/// Asks a service for tokens.
public struct TokenEndpoint: Sendable {
    public let service: OAuthService
    private let network: any PluginNetwork

    public init(_ service: OAuthService, network: any PluginNetwork) {
        self.service = service
        self.network = network
    }

    /// Ends a sign-in: what the browser came back with becomes tokens.
    ///
    /// - Parameter wasRefused: told when the service refuses.
    /// - Throws: `.denied` if the user refused. A code is good once, so nothing is tried again.
    public func finish(
        _ signIn: BrowserSignIn, with items: [String: String],
        wasRefused: (TokenFailure.Refusal) async -> Void = { _ in }
    ) async throws(AccountError) -> TokenGrant {
        let code = try signIn.code(from: items, service: service)
        do throws(TokenFailure) {
            return try await ask(
                [
                    ("grant_type", "authorization_code"), ("code", code.revealed),
                    ("redirect_uri", signIn.redirect), ("code_verifier", signIn.proof.verifier),
                ], signIn.client, purpose: "sign in")
        } catch {
            if case .refused(let refusal) = error { await wasRefused(refusal) }
            // The code was made for this sign-in a moment ago: it is no sign-in that has ended.
            if case .refused(.invalidGrant) = error {
                throw .authenticationRequired(
                    reason: "\(service.name) did not accept the browser's response.")
            }
            throw error.accountError(service)
        }
    }

    public func refresh(
        _ token: Secret, _ client: OAuthClient
    ) async throws(TokenFailure) -> TokenGrant {
        try await ask(
            [("grant_type", "refresh_token"), ("refresh_token", token.revealed)], client,
            purpose: "stay signed in")
    }

    /// Ends what a token allows. That it has ended already is fine.
    public func revoke(_ token: Secret) async throws(TokenFailure) {
        guard let place = service.revocation else { return }
        let answer = try await post([("token", token.revealed)], to: place, purpose: "sign out")
        switch answer.status {
        case 200..<300, 400: return
        case 429, 500...: throw .busy(status: answer.status)
        default: throw .refused(.somethingElse)
        }
    }

    private func ask(
        _ items: [(name: String, value: String)], _ client: OAuthClient, purpose: String
    ) async throws(TokenFailure) -> TokenGrant {
        var items = items + [("client_id", client.id)]
        if let secret = client.secret { items.append(("client_secret", secret.revealed)) }
        let answer = try await post(items, to: service.token, purpose: purpose)
        switch answer.status {
        case 200: return try TokenGrant(answer.body)
        case 408, 429, 500...: throw .busy(status: answer.status)
        default: throw Self.refusal(answer)
        }
    }

    /// Codes for temporary problems of the service, with any status.
    private static let passing: Set = [
        "temporarily_unavailable", "server_error", "slow_down", "internal_failure", "rate_limit_exceeded",
    ]

    func post(
        _ items: [(name: String, value: String)], to place: URL, purpose: String
    ) async throws(TokenFailure) -> HTTPResponse {
        let request = HTTPRequest(
            "POST", place,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"],
            body: DataSource(Data(FormText.encode(items).utf8)), purpose: purpose)
        do throws(NetworkError) {
            return try await network.send(request)
        } catch {
            throw .network(error)
        }
    }

    private static func refusal(_ response: HTTPResponse) -> TokenFailure {
        struct Answer: Decodable {
            let error: String
            let description: String?

            enum CodingKeys: String, CodingKey {
                case error
                case description = "error_description"
            }
        }
        guard response.body.count <= TokenGrant.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: response.body)
        else { return .notUnderstood }
        return passing.contains(answer.error)
            ? .busy(status: response.status) : .refused(.init(answer.error, description: answer.description))
    }
}
