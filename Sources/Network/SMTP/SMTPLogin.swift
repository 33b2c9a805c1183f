import FoundationEssentials
import MailKernelAPI

/// Signing in to a submission server.
struct SMTPLogin {
    private let login: SMTPSubmission.Login
    private let endpoint: Endpoint

    init(_ submission: SMTPSubmission) {
        login = submission.login
        endpoint = submission.endpoint
    }

    /// Values that must never be shown: the secret, and its encoded forms.
    var secrets: [String] {
        switch login {
        case .oauth(let user, let token):
            [token.revealed, Self.xoauth2(user, token), bearer(user, token)]
        case .password(let user, let password):
            [password.revealed, Self.base64(password.revealed), Self.plain(user, password)]
        }
    }

    /// The refusal, or nil if the server let us in.
    func perform(
        in conversation: inout SMTPConversation, _ features: SMTPFeatures
    ) async throws(NetworkError) -> SMTPReply? {
        let mechanisms = features.mechanisms
        switch login {
        case .oauth(let user, let token):
            // Google and Microsoft document XOAUTH2; OAUTHBEARER is its standard form (RFC 7628).
            if mechanisms.contains("XOAUTH2") {
                return try await once("XOAUTH2", Self.xoauth2(user, token), "", &conversation)
            }
            if mechanisms.contains("OAUTHBEARER") {
                return try await once("OAUTHBEARER", bearer(user, token), "AQ==", &conversation)
            }
        case .password(let user, let password):
            if mechanisms.contains("PLAIN") {
                return try await once("PLAIN", Self.plain(user, password), "*", &conversation)
            }
            if mechanisms.contains("LOGIN") { return try await inTurn(user, password, &conversation) }
        }
        throw .badAnswer(
            host: endpoint.host,
            reason: "it offers no supported sign-in method: \(offered(mechanisms))")
    }

    /// - Parameter apology: what the server wants to hear after it explained why it refuses.
    private func once(
        _ mechanism: String, _ response: String, _ apology: String, _ conversation: inout SMTPConversation
    ) async throws(NetworkError) -> SMTPReply? {
        var reply = try await conversation.ask("AUTH \(mechanism) \(response)")
        if reply.code == 334 { reply = try await conversation.ask(apology) }
        return try verdict(reply)
    }

    private func inTurn(
        _ user: String, _ password: Secret, _ conversation: inout SMTPConversation
    ) async throws(NetworkError) -> SMTPReply? {
        var reply = try await conversation.ask("AUTH LOGIN")
        for answer in [user, password.revealed] where reply.code == 334 {
            reply = try await conversation.ask(Self.base64(answer))
        }
        return try verdict(reply)
    }

    private func verdict(_ reply: SMTPReplyReader.Reply) throws(NetworkError) -> SMTPReply? {
        if reply.code == 235 { return nil }
        let shown = reply.shown
        // For now, and not for this password: the same may be tried later.
        if shown.isTransient { return shown }
        let words = [shown.enhancedCode ?? "", shown.text].filter { !$0.isEmpty }.joined(separator: " ")
        throw .loginRefused(host: endpoint.host, reply: "\(shown.code) \(words)")
    }

    private func offered(_ mechanisms: Set<String>) -> String {
        let names = mechanisms.sorted().prefix(10).map { $0.prefix(30) }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private static func xoauth2(_ user: String, _ token: Secret) -> String {
        base64("user=\(user)\u{1}auth=Bearer \(token.revealed)\u{1}\u{1}")
    }

    private func bearer(_ user: String, _ token: Secret) -> String {
        // “,” and “=” would end the name early (RFC 5801, 4).
        let name = user.replacing("=", with: "=3D").replacing(",", with: "=2C")
        return Self.base64(
            "n,a=\(name),\u{1}host=\(endpoint.host)\u{1}port=\(endpoint.port)\u{1}"
                + "auth=Bearer \(token.revealed)\u{1}\u{1}")
    }

    private static func plain(_ user: String, _ password: Secret) -> String {
        base64("\u{0}\(user)\u{0}\(password.revealed)")
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }
}
