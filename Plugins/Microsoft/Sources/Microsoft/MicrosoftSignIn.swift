import FoundationEssentials
import MailKernelAPI
import OAuth

/// The way from a setup to an account that can be tried.
struct MicrosoftSignIn: Sendable {
    static let sharedID = "microsoft-shared"

    private enum Note {
        static let address = "address"
        static let mailbox = "mailbox"
    }

    /// The state while the form is filled in.
    private struct Asked: Codable {
        let redirect: String
        /// Nil if the form asks for it.
        let address: String?
        let mailbox: String?
        let isShared: Bool
        let asksForClient: Bool
    }

    let endpoints: MicrosoftEndpoints
    let client: ClientMemory
    let network: any PluginNetwork

    func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        let known = try await client.known()
        let again = try request.account.map { account throws(AccountError) in
            try MicrosoftAccount(account.settings)
        }
        let redirect = Self.registered(request.redirect)
        let address = again?.address ?? request.discovered?.address
        if let known, let address {
            return try browser(known, address, mailbox: again?.mailbox, redirect: redirect)
        }
        let isShared = request.setupID == Self.sharedID
        var fields: [FormField] = []
        if address == nil {
            fields = isShared ? [MicrosoftForm.mailbox, MicrosoftForm.address] : [MicrosoftForm.address]
        }
        let asksForClient = known == nil || client.isTyped
        if asksForClient {
            fields.append(MicrosoftForm.client(initialID: again?.clientID ?? "", isRequired: known == nil))
        }
        let asked = Asked(
            redirect: redirect, address: address, mailbox: again?.mailbox, isShared: isShared,
            asksForClient: asksForClient)
        let memory = (try? JSONEncoder().encode(asked)) ?? Data()
        return .form(fields, memory: Secret(String(decoding: memory, as: UTF8.self)))
    }

    /// Microsoft lets programs return to any port of `localhost`, by this name alone.
    private static func registered(_ redirect: URL) -> String {
        redirect.absoluteString.replacing("//127.0.0.1:", with: "//localhost:", maxReplacements: 1)
    }

    func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        guard let asked = try? JSONDecoder().decode(Asked.self, from: Data(memory.revealed.utf8))
        else { throw .badAnswer("the saved state of the sign-in is invalid") }
        let address: String
        var mailbox = asked.mailbox
        if let known = asked.address {
            address = known
        } else {
            if asked.isShared { mailbox = try MicrosoftForm.mailbox(in: answers) }
            address = try MicrosoftForm.address(in: answers)
        }
        let isMicrosoft = Cloud.all.contains { $0.login == endpoints.service.authorization.host }
        if asked.asksForClient, MicrosoftForm.namesClient(answers) {
            let typed = try MicrosoftForm.client(in: answers, isMicrosoft: isMicrosoft)
            return try browser(typed, address, mailbox: mailbox, redirect: asked.redirect)
        }
        // Perhaps forgotten while the form was open.
        let known = try await client.known()
        let client: OAuthClient
        if let known {
            client = known
        } else {
            client = try MicrosoftForm.client(in: answers, isMicrosoft: isMicrosoft)
        }
        return try browser(client, address, mailbox: mailbox, redirect: asked.redirect)
    }

    private func browser(
        _ client: OAuthClient, _ address: String, mailbox: String?, redirect: String
    ) throws(AccountError) -> AuthorizationStep {
        guard let redirect = URL(string: redirect) else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        var note = [Note.address: address]
        note[Note.mailbox] = mailbox
        let signIn = BrowserSignIn(client: client, redirect: redirect, note: note)
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
        guard let refreshToken = grant.refreshToken else {
            throw .authenticationRequired(reason: "Microsoft granted access for one hour only.")
        }
        client.note(signIn.client)
        let account = MicrosoftAccount(
            address: address, mailbox: signIn.note[Note.mailbox], clientID: signIn.client.id)
        return .finished([account.candidate(grant, refreshToken: refreshToken, client: signIn.client)])
    }
}
