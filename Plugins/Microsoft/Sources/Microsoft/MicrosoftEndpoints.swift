import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth

/// Microsoft's servers for one cloud and tenant: those of the table, or those in the user's settings, to reach
/// them through an organization's proxy.
struct MicrosoftEndpoints: Sendable {
    let service: OAuthService
    let imap: MailServer
    let submission: MailServer

    /// Signs in accounts of organizations and personal ones.
    private static let anyTenant = "common"

    init(_ settings: PluginSettings, log: PluginLog) {
        let cloud = Self.cloud(settings, log)
        let base = "https://\(cloud.login)/\(Self.tenant(settings, log))/oauth2/v2.0"
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
        service = OAuthService(
            name: "Microsoft", authorization: url("authorizationUrl", base + "/authorize"),
            token: url("tokenUrl", base + "/token"),
            scopes: [
                "\(cloud.resource)/IMAP.AccessAsUser.All", "\(cloud.resource)/SMTP.Send", "offline_access",
            ],
            // Someone is often signed in with another account of theirs.
            parameters: ["prompt": "select_account"])
        imap = server("imap", MailServer(cloud.imap, port: 993))
        submission = server(
            "submission", MailServer(cloud.submission, port: 587, security: .startTLS))
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
