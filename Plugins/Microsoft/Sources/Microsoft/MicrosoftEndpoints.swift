import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth

/// Microsoft's servers for one cloud and tenant: those of the table, or those in the user's settings, to reach
/// them through an organization's proxy.
struct MicrosoftEndpoints: Sendable {
    let cloud: Cloud
    let service: OAuthService
    let imap: MailServer
    let submission: MailServer

    /// Signs in accounts of organizations and personal ones.
    private static let anyTenant = "common"

    init(_ settings: PluginSettings, log: PluginLog) {
        cloud = Self.cloud(settings, log)
        let base = "https://\(cloud.login)/\(Self.tenant(settings, log))/oauth2/v2.0"
        service = OAuthService(
            name: "Microsoft",
            authorization: settings.httpsURL("authorizationUrl", usual: base + "/authorize", log: log),
            token: settings.httpsURL("tokenUrl", usual: base + "/token", log: log),
            scopes: [
                "\(cloud.resource)/IMAP.AccessAsUser.All", "\(cloud.resource)/SMTP.Send", "offline_access",
            ],
            // Someone is often signed in with another account of theirs.
            parameters: ["prompt": "select_account"])
        imap = settings.mailServer("imap", usual: MailServer(cloud.imap, port: 993), log: log)
        submission = settings.mailServer(
            "submission", usual: MailServer(cloud.submission, port: 587, security: .startTLS), log: log)
    }

    private static func cloud(_ settings: PluginSettings, _ log: PluginLog) -> Cloud {
        guard let id = settings["cloud"]?.stringValue else { return .worldwide }
        if let cloud = Cloud.all.first(where: { $0.id == id }) { return cloud }
        log.warning("The setting “cloud” names none of Microsoft's clouds and is ignored.")
        return .worldwide
    }

    /// A domain or an id of an organization, or one of Microsoft's words for several.
    private static func tenant(_ settings: PluginSettings, _ log: PluginLog) -> String {
        guard let tenant = settings["tenant"]?.stringValue else { return anyTenant }
        let isPlain =
            (1...253).contains(tenant.utf8.count)
            && tenant.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == ".")
            }
        guard isPlain, tenant.first != "." else {
            log.warning("The setting “tenant” is not a domain or id of an organization and is ignored.")
            return anyTenant
        }
        return tenant
    }
}
