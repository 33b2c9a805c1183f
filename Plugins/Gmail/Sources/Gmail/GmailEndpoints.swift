import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth

/// Google's servers: the public ones, or those in the user's settings, to reach it through an organization's
/// proxy.
struct GmailEndpoints: Sendable {
    static let scope = "https://mail.google.com/"
    static let imapHost = "imap.gmail.com"

    let service: OAuthService
    let imap: MailServer
    let submission: MailServer

    init(_ settings: PluginSettings, log: PluginLog) {
        func url(_ name: String, _ usual: String) -> URL {
            settings.httpsURL(name, usual: usual, log: log)
        }
        service = OAuthService(
            name: "Google",
            authorization: url("authorizationUrl", "https://accounts.google.com/o/oauth2/v2/auth"),
            token: url("tokenUrl", "https://oauth2.googleapis.com/token"),
            revocation: url("revocationUrl", "https://oauth2.googleapis.com/revoke"),
            scopes: [Self.scope],
            // Without these there is no refresh token the second time.
            parameters: ["access_type": "offline", "prompt": "consent"])
        imap = settings.mailServer("imap", usual: MailServer(Self.imapHost, port: 993), log: log)
        submission = settings.mailServer(
            "submission", usual: MailServer("smtp.gmail.com", port: 465), log: log)
    }
}
