public import MailKernelAPI

/// One of Microsoft's clouds: where one signs in, and where mail is. They share no accounts.
public struct Cloud: Sendable, Hashable {
    /// As the setting `cloud` names it.
    public let id: String
    public let name: String
    /// The host of the sign-in page and of its tokens.
    public let login: String
    /// What the permissions for IMAP and SMTP belong to.
    public let resource: String
    public let imap: String
    public let submission: String
    /// The hosts that receive the mail of its organizations.
    public let mailHosts: [String]
    /// The host of Microsoft Graph, which its permissions belong to.
    public let graph: String
    /// The hosts that take large attachments in.
    public let uploads: [String]

    public static let worldwide = Cloud(
        id: "worldwide", name: "Worldwide", login: "login.microsoftonline.com",
        resource: "https://outlook.office.com", imap: "outlook.office365.com",
        submission: "smtp.office365.com",
        mailHosts: ["mail.protection.outlook.com", "olc.protection.outlook.com", "mx.microsoft"],
        graph: "graph.microsoft.com", uploads: ["outlook.office.com", "outlook.office365.com"])

    public static let all = [
        worldwide,
        Cloud(
            id: "usGovernment", name: "US Government (GCC High)", login: "login.microsoftonline.us",
            resource: "https://outlook.office365.us", imap: "outlook.office365.us",
            submission: "smtp.office365.us", mailHosts: usMailHosts, graph: "graph.microsoft.us",
            uploads: ["outlook.office365.us"]),
        Cloud(
            id: "usDefense", name: "US Government (DoD)", login: "login.microsoftonline.us",
            resource: "https://outlook-dod.office365.us", imap: "outlook-dod.office365.us",
            submission: "outlook-dod.office365.us", mailHosts: usMailHosts,
            graph: "dod-graph.microsoft.us", uploads: ["outlook-dod.office365.us"]),
        Cloud(
            id: "china", name: "China (21Vianet)", login: "login.partner.microsoftonline.cn",
            resource: "https://partner.outlook.cn", imap: "partner.outlook.cn",
            submission: "smtp.partner.outlook.cn", mailHosts: ["mail.protection.partner.outlook.cn"],
            graph: "microsoftgraph.chinacloudapi.cn", uploads: ["partner.outlook.cn"]),
    ]

    /// Both of the government's clouds have these.
    private static let usMailHosts = ["mail.protection.office365.us"]

    /// The mail of this cloud's organizations, however it is read.
    public var organizations: KnownService {
        KnownService(id: "microsoft", name: "Microsoft", mailHosts: mailHosts)
    }

    /// What the kernel finds from an address: this cloud is signed in to, and the others are named. Their users are not
    /// sent to a sign-in that does not know them. Personal mail is a service of its own, which has one way: IMAP is
    /// the user's to turn on there.
    public var services: [KnownService] {
        let personal = KnownService(id: "outlook", name: "Microsoft", domains: Self.personalDomains)
        let own = self == .worldwide ? [organizations, personal] : [organizations]
        let foreign = Self.all.filter { $0.mailHosts != mailHosts }
        let others = foreign.map { other in
            let same = foreign.filter { $0.mailHosts == other.mailHosts }
            let names = same.map(\.name).joined(separator: " or ")
            let ids = same.map { "“\($0.id)”" }.joined(separator: " or ")
            return KnownService(
                id: "microsoft-\(other.id)", name: "Microsoft, \(other.name)", mailHosts: other.mailHosts,
                refusal: "Mail for this address is in another of Microsoft's clouds: \(names). "
                    + "Set “cloud” to \(ids) as the Microsoft guide shows, then add the account again.")
        }
        return own + others
    }

    private static let personalDomains = [
        "outlook.com", "hotmail.com", "live.com", "msn.com", "passport.com", "hotmail.co.uk", "hotmail.de",
        "hotmail.es", "hotmail.fr", "hotmail.it", "live.co.uk", "live.de", "live.fr", "live.nl", "outlook.at",
        "outlook.de", "outlook.dk", "outlook.es", "outlook.fr", "outlook.ie", "outlook.it", "outlook.jp",
        "outlook.pt", "outlook.com.br", "outlook.sa",
    ]
}
