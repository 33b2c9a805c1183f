public import FoundationEssentials
public import MailKernelAPI
public import OAuth

/// What the user's settings say about signing in: the cloud, the tenant, and an organization's proxy.
public struct MicrosoftSettings: Sendable {
    public let cloud: Cloud
    public let authorization: URL
    public let token: URL

    /// Signs in accounts of organizations and personal ones.
    private static let anyTenant = "common"

    public init(_ settings: PluginSettings, log: PluginLog) {
        cloud = Self.cloud(settings, log)
        let base = "https://\(cloud.login)/\(Self.tenant(settings, log))/oauth2/v2.0"
        authorization = settings.httpsURL("authorizationUrl", usual: base + "/authorize", log: log)
        token = settings.httpsURL("tokenUrl", usual: base + "/token", log: log)
    }

    /// Whether people sign in at Microsoft itself.
    var isMicrosoft: Bool { Cloud.all.contains { $0.login == authorization.host } }

    /// The sign-in for some permissions.
    public func service(scopes: [String]) -> OAuthService {
        OAuthService(
            name: "Microsoft", authorization: authorization, token: token, scopes: scopes,
            // Someone is often signed in with another account of theirs.
            parameters: ["prompt": "select_account"])
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
