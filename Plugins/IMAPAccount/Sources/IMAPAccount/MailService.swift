import IMAP
import MailKernelAPI

/// A mail service whose servers are known.
struct MailService: Sendable, Hashable {
    var id: String
    var name: String
    /// What addresses there end with.
    var domains: [String] = []
    /// Where mail for domains of its customers is delivered.
    var mailHosts: [String] = []
    var imap: MailServer
    var submission: MailServer
    /// Where scripts are, if not beside IMAP on the usual port.
    var scripts: MailServer?
    /// Something to do at the service first, as a sentence; may be empty.
    var hint = ""
    /// How one signs in there with the browser; nil where a password does.
    var browser: BrowserService?

    /// The usual ports, with TLS from the start.
    init(
        _ id: String, _ name: String, _ domains: [String], mailHosts: [String] = [], imap: String,
        smtp: String, hint: String = ""
    ) {
        self.mailHosts = mailHosts
        self.id = id
        self.name = name
        self.domains = domains
        self.imap = MailServer(imap, port: 993)
        submission = MailServer(smtp, port: 465)
        self.hint = hint
    }

    /// With the port for sending that begins in the clear and then demands TLS.
    func startingTLSToSend() -> MailService {
        var service = self
        service.submission.endpoint.port = 587
        service.submission.security = .startTLS
        return service
    }

    /// A service of the user's settings: `{"name", "domains", "imap", "submission", "hint", "oauth"}`.
    init?(_ id: String, _ value: JSONValue) {
        guard let imap = value["imap"].flatMap({ MailServer($0) }),
            let submission = value["submission"].flatMap({ MailServer($0) })
        else { return nil }
        self.id = id
        name = value["name"]?.stringValue ?? id
        domains = (value["domains"]?.arrayValue ?? []).compactMap { $0.stringValue?.lowercased() }
        self.imap = imap
        self.submission = submission
        scripts = value["manageSieve"].flatMap { MailServer($0) }
        hint = value["hint"]?.stringValue ?? ""
        guard let oauth = value["oauth"] else { return }
        browser = BrowserService(name, oauth)
        if browser == nil { return nil }
    }
}

/// The services that are known: those of the settings, then the table.
struct MailServices: Sendable {
    let all: [MailService]

    init(_ settings: PluginSettings, log: PluginLog) {
        var own: [MailService] = []
        for (id, value) in (settings["services"]?.objectValue ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let service = MailService(id, value) {
                own.append(service)
            } else {
                log.warning("A service in the settings has no servers and is ignored.")
            }
        }
        let ids = Set(own.map(\.id))
        all = own + Self.table.filter { !ids.contains($0.id) }
    }

    func service(id: String) -> MailService? { all.first { $0.id == id } }

    func service(ofDomain domain: String) -> MailService? {
        all.first { $0.domains.contains(domain.lowercased()) }
    }

    /// Why addresses of a domain cannot be added here; nil if they can be tried.
    static func refusal(ofDomain domain: String) -> String? {
        switch domain.lowercased() {
        case "gmail.com", "googlemail.com":
            "Gmail is added separately: go back and choose “Add your Gmail account”."
        case "outlook.com", "hotmail.com", "live.com", "msn.com", "passport.com":
            "Outlook is added separately: go back and choose “Add your Outlook or Microsoft 365 account”."
        case "tuta.com", "tutanota.com", "tutamail.com", "tuta.io", "tutanota.de", "keemail.me":
            "Tuta does not support other mail apps."
        default: nil
        }
    }

    /// Services that no mail app can use, for the search by address.
    static let closed = [
        KnownService(
            id: "tuta", name: "Tuta",
            domains: ["tuta.com", "tutanota.com", "tutamail.com", "tuta.io", "tutanota.de", "keemail.me"],
            mailHosts: ["tutanota.de"], refusal: refusal(ofDomain: "tuta.com") ?? "")
    ]

    private static let appPassword =
        "It requires a separate password for mail apps, often called an app password."

    /// As the services say it themselves. The hosts stand in the manifest too; a test compares the two.
    static let table = [
        MailService(
            "aol", "AOL", ["aol.com", "aim.com"], imap: "imap.aol.com", smtp: "smtp.aol.com",
            hint: appPassword),
        MailService(
            "fastmail", "Fastmail", ["fastmail.com", "fastmail.fm", "sent.com"],
            mailHosts: ["messagingengine.com"], imap: "imap.fastmail.com", smtp: "smtp.fastmail.com",
            hint: appPassword),
        MailService(
            "free", "Free", ["free.fr"], imap: "imap.free.fr", smtp: "smtp.free.fr"),
        MailService(
            "gmx-com", "GMX (gmx.com)", ["gmx.com", "gmx.us", "gmx.co.uk"], imap: "imap.gmx.com",
            smtp: "mail.gmx.com", hint: "Turn on IMAP in its settings first."),
        MailService(
            "gmx", "GMX (gmx.net)", ["gmx.net", "gmx.de", "gmx.at", "gmx.ch"], imap: "imap.gmx.net",
            smtp: "mail.gmx.net", hint: "Turn on IMAP in its settings first."),
        MailService(
            "icloud", "iCloud", ["icloud.com", "me.com", "mac.com"], mailHosts: ["mail.icloud.com"],
            imap: "imap.mail.me.com",
            smtp: "smtp.mail.me.com", hint: appPassword
        ).startingTLSToSend(),
        MailService(
            "mailbox", "mailbox.org", ["mailbox.org"], mailHosts: ["mailbox.org"], imap: "imap.mailbox.org",
            smtp: "smtp.mailbox.org"),
        MailService(
            "mailru", "Mail.ru", ["mail.ru", "inbox.ru", "list.ru", "bk.ru"], mailHosts: ["mail.ru"],
            imap: "imap.mail.ru",
            smtp: "smtp.mail.ru", hint: appPassword),
        MailService(
            "migadu", "Migadu", [], mailHosts: ["migadu.com"], imap: "imap.migadu.com",
            smtp: "smtp.migadu.com"),
        MailService(
            "orange", "Orange", ["orange.fr", "wanadoo.fr"], imap: "imap.orange.fr",
            smtp: "smtp.orange.fr"),
        MailService(
            "posteo", "Posteo", ["posteo.de", "posteo.net", "posteo.at", "posteo.ch", "posteo.eu"],
            imap: "posteo.de", smtp: "posteo.de"),
        MailService(
            "runbox", "Runbox", ["runbox.com", "runbox.no"], mailHosts: ["runbox.com"],
            imap: "mail.runbox.com",
            smtp: "mail.runbox.com"),
        MailService(
            "t-online", "T-Online", ["t-online.de", "magenta.de"], imap: "secureimap.t-online.de",
            smtp: "securesmtp.t-online.de",
            hint: "It requires the email password, which differs from the account password."),
        MailService(
            "webde", "WEB.DE", ["web.de", "email.de"], imap: "imap.web.de", smtp: "smtp.web.de",
            hint: "Turn on IMAP in its settings first."
        ).startingTLSToSend(),
        MailService(
            "yahoo", "Yahoo",
            [
                "yahoo.com", "ymail.com", "rocketmail.com", "yahoo.co.uk", "yahoo.de", "yahoo.fr", "yahoo.it",
                "yahoo.es", "yahoo.ca", "yahoo.in",
            ],
            imap: "imap.mail.yahoo.com", smtp: "smtp.mail.yahoo.com", hint: appPassword),
        MailService(
            "yandex", "Yandex", ["yandex.com", "yandex.ru", "ya.ru"], mailHosts: ["yandex.net", "yandex.ru"],
            imap: "imap.yandex.com",
            smtp: "smtp.yandex.com", hint: appPassword),
        MailService(
            "zoho", "Zoho", ["zoho.com", "zohomail.com"], mailHosts: ["zoho.com"], imap: "imap.zoho.com",
            smtp: "smtp.zoho.com",
            hint: "Turn on IMAP in its settings first."),
        MailService(
            "zoho-eu", "Zoho (Europe)", ["zoho.eu", "zohomail.eu"], mailHosts: ["zoho.eu"],
            imap: "imap.zoho.eu",
            smtp: "smtp.zoho.eu", hint: "Turn on IMAP in its settings first."),
    ]
}

extension MailService {
    /// The service as the kernel knows it, which finds it from an address.
    var known: KnownService {
        KnownService(
            id: id, name: name, domains: domains, mailHosts: mailHosts, incoming: imap.discovered,
            submission: submission.discovered)
    }
}

extension MailServer {
    var discovered: DiscoveredServer {
        DiscoveredServer(endpoint.host, port: endpoint.port, security: security)
    }

    init(_ server: DiscoveredServer) {
        self.init(server.endpoint.host, port: server.endpoint.port, security: server.security)
    }
}
