import IMAP
import MailKernelAPI
import OAuth
import POP3

/// Where an account is and who signs in, as its settings keep it. The password is in its drawer.
struct MailPlace: Sendable, Hashable {
    private enum Key {
        static let address = "address"
        static let name = "name"
        static let user = "user"
        static let imap = "imap"
        static let pop3 = "pop3"
        static let leave = "leave"
        static let submission = "submission"
        static let service = "service"
        static let clientID = "clientId"
        static let found = "oauth"
    }

    static let passwordName = "password"

    var address: String
    /// Empty if the user did not say.
    var name: String
    var user: String
    /// The incoming server: of POP3 if `leave` is set.
    var imap: MailServer
    var submission: MailServer
    /// The service that it is at, if that is one of the known.
    var service: String?
    /// How long messages stay on a POP3 server; nil for IMAP.
    var leave: LeaveOnServer?
    /// The client that signed in with the browser; nil where there is a password.
    var clientID: String?
    /// How it signs in with the browser at a service that was found.
    var found: FoundService?

    init(
        _ person: AccountForms.Person, user: String, imap: MailServer, submission: MailServer,
        service: String? = nil, clientID: String? = nil, leave: LeaveOnServer? = nil
    ) {
        self.leave = leave
        self.clientID = clientID
        address = person.address
        name = person.name
        self.user = user
        self.imap = imap
        self.submission = submission
        self.service = service
    }

    init(_ settings: [String: JSONValue]) throws(AccountError) {
        let pop3 = settings[Key.pop3].flatMap { MailServer($0) }
        guard let address = settings[Key.address]?.stringValue, let user = settings[Key.user]?.stringValue,
            let imap = pop3 ?? settings[Key.imap].flatMap({ MailServer($0) }),
            let submission = settings[Key.submission].flatMap({ MailServer($0) })
        else {
            throw .invalid(field: Key.address, reason: "The account's settings do not name its servers.")
        }
        self.address = address
        name = settings[Key.name]?.stringValue ?? ""
        self.user = user
        self.imap = imap
        self.submission = submission
        service = settings[Key.service]?.stringValue
        clientID = settings[Key.clientID]?.stringValue
        // What cannot be read removes nothing.
        leave = pop3 == nil ? nil : settings[Key.leave]?.stringValue.flatMap { LeaveOnServer($0) } ?? .always
        found = settings[Key.found].flatMap { FoundService($0) }
    }

    func candidate(password: String) -> AccountCandidate {
        candidate([Self.passwordName: Secret(password)])
    }

    func candidate(_ secrets: [String: Secret]) -> AccountCandidate {
        var settings: [String: JSONValue] = [
            Key.address: .string(address), Key.name: .string(name), Key.user: .string(user),
            (leave == nil ? Key.imap : Key.pop3): imap.settings, Key.submission: submission.settings,
        ]
        settings[Key.leave] = leave.map { .string($0.text) }
        settings[Key.service] = service.map { .string($0) }
        settings[Key.clientID] = clientID.map { .string($0) }
        settings[Key.found] = found?.settings
        return AccountCandidate(settings: settings, secrets: secrets)
    }

    func configuration(_ login: IMAPLogin) -> IMAPConfiguration {
        var configuration = IMAPConfiguration(imap: imap, submission: submission, login: login)
        // RFC 5804, section 1.8: TLS only begins with STARTTLS there.
        configuration.scripts = MailServer(imap.endpoint.host, port: 4190, security: .startTLS)
        return configuration
    }

    /// The same for an account with POP3; nil for one with IMAP.
    func popConfiguration(_ login: IMAPLogin) -> POP3Configuration? {
        leave.map { POP3Configuration(server: imap, submission: submission, login: login, leave: $0) }
    }
}
