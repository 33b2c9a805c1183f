import FoundationEssentials
import IMAP
import MailKernelAPI
import MicrosoftLogin
import OAuth

/// Microsoft's servers for one cloud and tenant: those of the table, or those in the user's settings, to reach
/// them through an organization's proxy.
struct MicrosoftEndpoints: Sendable {
    let login: MicrosoftSettings
    let service: OAuthService
    let imap: MailServer
    let submission: MailServer

    var cloud: Cloud { login.cloud }

    init(_ settings: PluginSettings, log: PluginLog) {
        login = MicrosoftSettings(settings, log: log)
        let cloud = login.cloud
        service = login.service(scopes: [
            "\(cloud.resource)/IMAP.AccessAsUser.All", "\(cloud.resource)/SMTP.Send", "offline_access",
        ])
        imap = settings.mailServer("imap", usual: MailServer(cloud.imap, port: 993), log: log)
        submission = settings.mailServer(
            "submission", usual: MailServer(cloud.submission, port: 587, security: .startTLS), log: log)
    }
}
