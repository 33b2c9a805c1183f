import FoundationEssentials
import MailKernelAPI
import OAuth

/// The way from a setup to an account that can be tried.
struct MicrosoftSignIn: Sendable {
    static let sharedID = "microsoft-shared"

    private let steps: ClientSignIn

    init(_ endpoints: MicrosoftEndpoints, client: ClientMemory, network: any PluginNetwork) {
        let isMicrosoft = Cloud.all.contains { $0.login == endpoints.service.authorization.host }
        steps = ClientSignIn(
            TokenEndpoint(endpoints.service, network: network), memory: client,
            form: MicrosoftForm(isMicrosoft: isMicrosoft))
    }

    func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        let again = try request.account.map { account throws(AccountError) in
            try MicrosoftAccount(account.settings)
        }
        let address = again?.address ?? request.discovered?.address
        return try await steps.begin(
            request, redirect: try Self.registered(request.redirect),
            note: address.map { MicrosoftForm.note($0, mailbox: again?.mailbox) },
            lastClientID: again?.clientID)
    }

    /// Microsoft lets programs return to any port of `localhost`, by this name alone.
    private static func registered(_ redirect: URL) throws(AccountError) -> URL {
        let text = redirect.absoluteString.replacing(
            "//127.0.0.1:", with: "//localhost:", maxReplacements: 1)
        guard let url = URL(string: text) else { throw .badAnswer("the address to return to is invalid") }
        return url
    }

    func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        try await steps.filledIn(answers, memory)
    }

    func cameBack(
        _ items: [String: String], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        .finished([MicrosoftAccount.candidate(try await steps.cameBack(items, memory))])
    }
}
