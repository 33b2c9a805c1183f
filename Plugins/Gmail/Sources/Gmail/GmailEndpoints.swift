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
        let reader = Reader(settings: settings, log: log)
        service = OAuthService(
            name: "Google",
            authorization: reader.url("authorizationUrl", "https://accounts.google.com/o/oauth2/v2/auth"),
            token: reader.url("tokenUrl", "https://oauth2.googleapis.com/token"),
            revocation: reader.url("revocationUrl", "https://oauth2.googleapis.com/revoke"),
            scopes: [Self.scope],
            // Without these there is no refresh token the second time.
            parameters: ["access_type": "offline", "prompt": "consent"])
        imap = reader.server("imap", MailServer(Self.imapHost, port: 993))
        submission = reader.server("submission", MailServer("smtp.gmail.com", port: 465))
    }

    private struct Reader {
        let settings: PluginSettings
        let log: PluginLog

        func url(_ name: String, _ usual: String) -> URL {
            let usual = URL(string: usual) ?? URL(filePath: "/")
            guard let value = settings[name] else { return usual }
            guard let url = value.stringValue.flatMap({ URL(string: $0) }), url.scheme == "https",
                url.host?.isEmpty == false
            else {
                log.warning("The setting “\(public: name)” is not an https address and is ignored.")
                return usual
            }
            return url
        }

        func server(_ name: String, _ usual: MailServer) -> MailServer {
            guard let value = settings[name] else { return usual }
            guard let server = MailServer(value) else {
                log.warning("The setting “\(public: name)” is not a mail server and is ignored.")
                return usual
            }
            return server
        }
    }
}
