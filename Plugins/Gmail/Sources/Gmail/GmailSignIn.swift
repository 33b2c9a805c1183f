import FoundationEssentials
import MailKernelAPI
import OAuth

/// The way from “Add your Gmail account” to an account that can be tried.
struct GmailSignIn: Sendable {
    private enum Note {
        static let address = "address"
    }

    /// The state while the form is filled in.
    private struct Asked: Codable {
        let redirect: String
        /// Nil if the form asks for it.
        let address: String?
        let asksForClient: Bool
    }

    let endpoints: GmailEndpoints
    let client: ClientMemory
    let network: any PluginNetwork

    func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        let known = try await client.known()
        let address = request.account?.address
        if let known, let address { return try browser(known, address, redirect: request.redirect) }
        var fields = address == nil ? [GmailForm.address] : []
        let asksForClient = known == nil || client.isTyped
        if asksForClient {
            let last = request.account.flatMap { GmailAccount.clientID(of: $0) }
            fields += GmailForm.client(initialID: last ?? "", isRequired: known == nil)
        }
        let asked = Asked(
            redirect: request.redirect.absoluteString, address: address, asksForClient: asksForClient)
        let memory = (try? JSONEncoder().encode(asked)) ?? Data()
        return .form(fields, memory: Secret(String(decoding: memory, as: UTF8.self)))
    }

    func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        guard let asked = try? JSONDecoder().decode(Asked.self, from: Data(memory.revealed.utf8)),
            let redirect = URL(string: asked.redirect)
        else { throw .badAnswer("the saved state of the sign-in is invalid") }
        let address: String
        if let known = asked.address { address = known } else { address = try GmailForm.address(in: answers) }
        if asked.asksForClient, GmailForm.namesClient(answers) {
            let isGoogle = endpoints.service.authorization.host == "accounts.google.com"
            let typed = try GmailForm.client(in: answers, isGoogle: isGoogle)
            return try browser(typed, address, redirect: redirect)
        }
        guard let known = try await client.known() else {
            // Forgotten while the form was open, or never there.
            _ = try GmailForm.client(in: answers, isGoogle: false)
            throw .badAnswer("the client was removed during the sign-in")
        }
        return try browser(known, address, redirect: redirect)
    }

    private func browser(
        _ client: OAuthClient, _ address: String, redirect: URL
    ) throws(AccountError) -> AuthorizationStep {
        let signIn = BrowserSignIn(client: client, redirect: redirect, note: [Note.address: address])
        return .browser(
            try signIn.page(of: endpoints.service, loginHint: address), memory: signIn.memory)
    }

    func cameBack(
        _ items: [String: String], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        let signIn = try BrowserSignIn(memory: memory)
        guard let address = signIn.note[Note.address] else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        let grant = try await TokenEndpoint(endpoints.service, network: network).finish(signIn, with: items) {
            refusal in
            if refusal.isAboutTheClient { await client.forget(signIn.client) }
        }
        if let scopes = grant.scopes, !scopes.contains(GmailEndpoints.scope) {
            throw .authenticationRequired(
                reason:
                    "The permission to read, write and send mail was not granted. Check its box next time.")
        }
        guard let refreshToken = grant.refreshToken else {
            throw .authenticationRequired(reason: "Google granted access for one hour only.")
        }
        client.note(signIn.client)
        return .finished([
            GmailAccount.candidate(address, client: signIn.client, refreshToken: refreshToken)
        ])
    }
}
