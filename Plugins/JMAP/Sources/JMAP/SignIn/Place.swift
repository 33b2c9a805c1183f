import FoundationEssentials
import MailKernelAPI
import OAuth

/// Where an account is and who signs in, as its settings keep it. The password or token is in its drawer.
struct Place: Sendable, Hashable {
    var address: String
    /// Empty if the user did not say.
    var name: String
    var user: String
    var kind: Proof.Kind
    var session: URL
    /// The account at the service; nil if the service may choose.
    var account: String?
    /// How it signs in with the browser; nil if it does not.
    var found: FoundService?

    private enum Key {
        static let address = "address"
        static let name = "name"
        static let user = "user"
        static let kind = "signIn"
        static let session = "session"
        static let account = "accountId"
        static let found = "oauth"
    }

    init(
        address: String, name: String, user: String, kind: Proof.Kind, session: URL, account: String? = nil
    ) {
        self.account = account
        self.address = address
        self.name = name
        self.user = user
        self.kind = kind
        self.session = session
    }

    init(_ settings: [String: JSONValue]) throws(AccountError) {
        guard let address = settings[Key.address]?.stringValue, let user = settings[Key.user]?.stringValue,
            let kind = settings[Key.kind]?.stringValue.flatMap({ Proof.Kind(rawValue: $0) }),
            let session = settings[Key.session]?.stringValue.flatMap({ URL(string: $0) }),
            session.scheme == "https"
        else {
            throw .invalid(field: Key.address, reason: "The account's settings do not name its server.")
        }
        self.init(
            address: address, name: settings[Key.name]?.stringValue ?? "", user: user, kind: kind,
            session: session, account: settings[Key.account]?.stringValue)
        found = settings[Key.found].flatMap { FoundService($0) }
    }

    func candidate(_ proof: Secret) -> AccountCandidate { candidate([Proof.name: proof]) }

    func candidate(_ secrets: [String: Secret]) -> AccountCandidate {
        var settings: [String: JSONValue] = [
            Key.address: .string(address), Key.name: .string(name), Key.user: .string(user),
            Key.kind: .string(kind.rawValue), Key.session: .string(session.absoluteString),
        ]
        settings[Key.account] = account.map { .string($0) }
        settings[Key.found] = found?.settings
        return AccountCandidate(settings: settings, secrets: secrets)
    }
}

/// A service whose session is known. Others are asked for theirs.
struct NamedService: Sendable {
    let id: String
    let name: String
    let domains: Set<String>
    let session: String
    let hosts: Set<String>
    /// The names of its mail exchangers.
    let mailHosts: [String]
    let kind: Proof.Kind
    let hint: String

    /// The way to add its accounts, beside the one through IMAP.
    var setup: AccountSetup {
        AccountSetup(
            id: id, title: "Add \(name) with an API token", serviceName: name,
            explanation:
                "Mail comes through JMAP, in fewer requests than through IMAP, and your vacation reply is the one at "
                + "\(name). You create the API token in the settings of \(name), and can revoke it there.",
            services: [KnownService(id: id, name: name, domains: domains.sorted(), mailHosts: mailHosts)])
    }

    /// Only services of which it is certain. Others are found by their domains, or chosen by the user.
    static let all = [
        NamedService(
            id: "fastmail", name: "Fastmail",
            domains: ["fastmail.com", "fastmail.fm", "fastmail.org", "sent.com"],
            session: "https://api.fastmail.com/jmap/session",
            hosts: ["api.fastmail.com", "www.fastmailusercontent.com"],
            mailHosts: ["messagingengine.com"], kind: .token,
            hint: "Fastmail needs an API token: Settings → Privacy & Security → Connected apps & API tokens.")
    ]
}
