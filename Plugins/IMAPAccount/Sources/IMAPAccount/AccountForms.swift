import FoundationEssentials
import IMAP
import MailKernelAPI
import SigningIn

/// The forms: first the account, then the servers if they are not known.
struct AccountForms: Sendable {
    enum Name {
        static let address = "address"
        static let password = "password"
        static let name = "name"
        static let service = "service"
        static let user = "user"
    }

    /// The names of the fields of one server.
    struct ServerNames {
        let host: String
        let port: String
        let security: String

        static let pop3 = ServerNames(host: "popHost", port: "popPort", security: "popSecurity")
        static let imap = ServerNames(host: "imapHost", port: "imapPort", security: "imapSecurity")
        static let submission = ServerNames(host: "smtpHost", port: "smtpPort", security: "smtpSecurity")
    }

    static let byAddress = "automatic"
    static let byHand = "manual"
    static let byHandPOP3 = "pop3"

    let services: MailServices

    // MARK: Who

    struct Person: Sendable, Codable {
        var address: String
        var password: String
        var name: String

        /// What stands after the @.
        var domain: String { address.split(separator: "@").last.map(String.init) ?? "" }
    }

    /// - Parameter account: one that signs in again: where its servers are is known.
    func first(again account: Account?) -> [FormField] {
        let address = FormField(
            name: Name.address, label: "Mail address", kind: .email, initialValue: account?.address ?? "")
        let password = Self.password(hint: "")
        if let account {
            guard let leave = (try? MailPlace(account.settings))?.leave else { return [address, password] }
            return [address, password, Self.leaving(leave)]
        }
        let choices =
            [FormField.Choice(value: Self.byAddress, label: "Determined by the address")]
            + services.all.filter { $0.browser == nil }.map { FormField.Choice(value: $0.id, label: $0.name) }
            + [
                FormField.Choice(value: Self.byHand, label: "Other: enter the servers"),
                FormField.Choice(value: Self.byHandPOP3, label: "Other, only with POP3: enter the servers"),
            ]
        return [
            Self.name, address, password,
            FormField(
                name: Name.service, label: "Mail service", kind: .choice(choices),
                initialValue: Self.byAddress, isRequired: false,
                hint: "Choose one if your address has your own domain."),
        ]
    }

    static let name = FormField(
        name: Name.name, label: "Your name", kind: .text, isRequired: false, hint: "Shown to recipients.")

    /// - Parameter hint: what the service says about it; empty if it says nothing.
    static func password(hint: String) -> FormField {
        let usual = "Some services require a separate password for mail apps, often called an app password."
        return FormField(
            name: Name.password, label: "Password", kind: .password,
            hint: (hint.isEmpty ? usual : hint) + " Your password is kept only in your secret store.")
    }

    /// For a service that signs in with the browser.
    static let owner = [
        name,
        FormField(name: Name.address, label: "Mail address", kind: .email),
    ]

    func person(in answers: [String: Secret]) throws(AccountError) -> Person {
        try person(in: answers, try Self.owner(in: answers))
    }

    func person(in answers: [String: Secret], _ owner: Person) throws(AccountError) -> Person {
        var person = owner
        person.password = answers[Name.password]?.revealed ?? ""
        guard !person.password.isEmpty else {
            throw .invalid(field: Name.password, reason: "Please enter the password.")
        }
        guard person.password.utf8.count <= 1_000, person.password.hasNoControls else {
            throw .invalid(field: Name.password, reason: "A password cannot contain control characters.")
        }
        return person
    }

    /// Who it is, without a password.
    static func owner(in answers: [String: Secret]) throws(AccountError) -> Person {
        let address = try answers.mailAddress(
            Name.address, orSay: "Please enter your full address, such as ada@example.org.")
        return Person(address: address, password: "", name: try answers.personName(Name.name))
    }

    /// The service that was chosen, or the one of the address; nil if its servers have to be asked for.
    func service(in answers: [String: Secret], _ person: Person) throws(AccountError) -> MailService? {
        let chosen = answers[Name.service]?.revealed ?? ""
        if [Self.byHand, Self.byHandPOP3].contains(chosen) { return nil }
        if !chosen.isEmpty, chosen != Self.byAddress {
            guard let service = services.service(id: chosen), service.browser == nil else {
                throw .invalid(field: Name.service, reason: "Please choose one of the services.")
            }
            return service
        }
        if let service = services.service(ofDomain: person.domain) {
            guard service.browser == nil else {
                throw .invalid(
                    field: Name.address,
                    reason: "\(service.name) is added separately: go back and choose “Add your "
                        + "\(service.name) account”.")
            }
            return service
        }
        if let refusal = MailServices.refusal(ofDomain: person.domain) {
            throw .invalid(field: Name.address, reason: refusal)
        }
        return nil
    }

    // MARK: Where

    static let guess = "This is a guess. Look for the correct name in your service's help."

    /// - Parameter value: what was found, or the address.
    static func userName(_ value: String) -> FormField {
        FormField(
            name: Name.user, label: "User name", kind: .text, initialValue: value,
            hint: "Most services expect the full address.")
    }

    func second(_ person: Person) -> [FormField] {
        [Self.userName(person.address)]
            + fields(.imap, "Incoming", MailServer("imap.\(person.domain)", port: 993))
            + fields(.submission, "Outgoing", MailServer("smtp.\(person.domain)", port: 465))
    }

    func fields(
        _ names: ServerNames, _ what: String, _ server: MailServer,
        hint: String = Self.guess
    ) -> [FormField] {
        let securities = [
            FormField.Choice(value: TransportSecurity.tls.rawValue, label: "TLS from the start"),
            FormField.Choice(value: TransportSecurity.startTLS.rawValue, label: "STARTTLS"),
        ]
        return [
            FormField(
                name: names.host, label: "\(what) server", kind: .host,
                initialValue: server.endpoint.host, hint: hint),
            FormField(
                name: names.port, label: "\(what) port", kind: .port,
                initialValue: "\(server.endpoint.port)"),
            FormField(
                name: names.security, label: "\(what) encryption", kind: .choice(securities),
                initialValue: server.security.rawValue),
        ]
    }

    func servers(
        in answers: [String: Secret]
    ) throws(AccountError) -> (user: String, imap: MailServer, submission: MailServer) {
        (try userName(in: answers), try server(.imap, answers), try server(.submission, answers))
    }

    func userName(in answers: [String: Secret]) throws(AccountError) -> String {
        let user = answers.trimmed(Name.user)
        guard !user.isEmpty, user.utf8.count <= 254, user.hasNoControls else {
            throw .invalid(field: Name.user, reason: "Please enter the user name.")
        }
        return user
    }

    func server(
        _ names: ServerNames, _ answers: [String: Secret]
    ) throws(AccountError) -> MailServer {
        var host = answers.trimmed(names.host).lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        guard !host.isEmpty else {
            throw .invalid(field: names.host, reason: "Please enter the server name.")
        }
        guard Self.isHost(host) else {
            throw .invalid(
                field: names.host,
                reason: "This is not a server name. A server name looks like imap.example.org, with nothing "
                    + "before or after it.")
        }
        guard let port = Int(answers.trimmed(names.port)), (1...65_535).contains(port) else {
            throw .invalid(field: names.port, reason: "A port is a number from 1 to 65535.")
        }
        guard let security = TransportSecurity(rawValue: answers.trimmed(names.security)) else {
            throw .invalid(field: names.security, reason: "Please choose how the connection is encrypted.")
        }
        return MailServer(host, port: port, security: security)
    }

    // MARK: Texts

    /// A name of letters, or an address; names in other scripts as they are on the wire.
    private static func isHost(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        if text.contains(":") {
            return text.split(separator: ":", omittingEmptySubsequences: false).count > 2
                && text.utf8.allSatisfy {
                    Character(Unicode.Scalar($0)).isHexDigit || $0 == UInt8(ascii: ":")
                }
        }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }
}
