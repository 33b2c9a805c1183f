import MailKernelAPI
import OAuth

/// The way from “Add your Gmail account” to an account that can be tried.
struct GmailSignIn: Sendable {
    private let steps: ClientSignIn

    init(_ endpoints: GmailEndpoints, client: ClientMemory, network: any PluginNetwork) {
        let isGoogle = endpoints.service.authorization.host == "accounts.google.com"
        steps = ClientSignIn(
            TokenEndpoint(endpoints.service, network: network), memory: client,
            form: GmailForm(isGoogle: isGoogle))
    }

    func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        try await steps.begin(
            request, redirect: request.redirect,
            note: request.account.map { [ClientSignIn.address: $0.address] },
            lastClientID: request.account.flatMap { GmailAccount.clientID(of: $0) })
    }

    func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        try await steps.filledIn(answers, memory)
    }

    func cameBack(
        _ items: [String: String], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        let result = try await steps.cameBack(items, memory) { grant throws(AccountError) in
            if let scopes = grant.scopes, !scopes.contains(GmailEndpoints.scope) {
                throw .authenticationRequired(
                    reason:
                        "The permission to read, write and send mail was not granted. Check its box next time."
                )
            }
        }
        return .finished([GmailAccount.candidate(result)])
    }
}
