import FoundationEssentials
import MailKernelAPI
import SigningIn

/// The forms: first the account, then the server if it is not known.
enum Forms {
    enum Name {
        static let address = "address"
        static let proof = "password"
        static let kind = "signIn"
        static let name = "name"
        static let service = "service"
        static let server = "server"
        static let port = "port"
        static let path = "path"
        static let user = "user"
        static let moreServers = "server"
    }

    static let byAddress = "automatic"
    static let other = "other"

    /// - Parameter account: one that signs in again: where its server is is known.
    static func first(again account: Account?, _ kind: Proof.Kind) -> [FormField] {
        let address = FormField(
            name: Name.address, label: "Mail address", kind: .email, initialValue: account?.address ?? "")
        let proof = proof(kind, offersBrowser: true)
        if account != nil { return [address] + proof }
        let services =
            [FormField.Choice(value: byAddress, label: "Determined by the address")]
            + NamedService.all.map { FormField.Choice(value: $0.id, label: $0.name) }
            + [FormField.Choice(value: other, label: "Other: enter the server")]
        return [name, address] + proof + [
            FormField(
                name: Name.service, label: "Mail service", kind: .choice(services), initialValue: byAddress,
                isRequired: false, hint: "Choose one if your address has your own domain.")
        ]
    }

    /// For a service that was found.
    ///
    /// - Parameter address: nil if the address is not to be asked for.
    static func found(_ address: String?) -> [FormField] {
        let field = address.map { address in
            FormField(name: Name.address, label: "Mail address", kind: .email, initialValue: address)
        }
        return [name] + (field.map { [$0] } ?? []) + proof(.password)
    }

    /// For a service of which all is known but the token.
    static func named(_ service: NamedService, asksAddress: Bool) -> [FormField] {
        let address = FormField(name: Name.address, label: "Mail address", kind: .email)
        let proof = FormField(name: Name.proof, label: "API token", kind: .password, hint: service.hint)
        return [name] + (asksAddress ? [address] : []) + [proof]
    }

    private static let name = FormField(
        name: Name.name, label: "Your name", kind: .text, isRequired: false, hint: "Shown to recipients.")

    private static func proof(_ kind: Proof.Kind, offersBrowser: Bool = false) -> [FormField] {
        var kinds = [
            FormField.Choice(value: Proof.Kind.password.rawValue, label: "Password"),
            FormField.Choice(value: Proof.Kind.token.rawValue, label: "API token"),
        ]
        if offersBrowser {
            kinds.append(FormField.Choice(value: Proof.Kind.oauth.rawValue, label: "The browser"))
        }
        return [
            FormField(
                name: Name.kind, label: "Sign in with", kind: .choice(kinds), initialValue: kind.rawValue,
                isRequired: false,
                hint: "Fastmail needs an API token."),
            FormField(
                name: Name.proof, label: "Password or token", kind: .password, isRequired: !offersBrowser,
                hint: offersBrowser
                    ? "Not needed if you sign in with the browser. It is kept only in your secret store."
                    : "It is kept only in your secret store."),
        ]
    }

    static func server(_ session: URL, user: String) -> [FormField] {
        let person = Person(address: user, name: "", kind: .password, proof: "", user: user)
        return server(
            person, host: session.host(percentEncoded: false) ?? "", hint: "",
            port: session.port ?? 443, path: SignIn.path(of: session) ?? "")
    }

    static func server(
        _ person: Person, host: String, hint: String, port: Int = 443, path: String = ""
    ) -> [FormField] {
        [
            FormField(name: Name.server, label: "Server", kind: .host, initialValue: host, hint: hint),
            FormField(
                name: Name.port, label: "Port", kind: .port, initialValue: "\(port)", isRequired: false,
                hint: "443 at nearly every service."),
            FormField(
                name: Name.path, label: "Path of the session", kind: .text, initialValue: path,
                isRequired: false,
                hint: "Only if your service names one, such as /jmap/session."),
            FormField(
                name: Name.user, label: "User name", kind: .text, initialValue: person.user,
                isRequired: false, hint: "Most services expect the full address."),
        ]
    }

    /// For the servers that a session names besides its own.
    static func more(_ hosts: [String]) -> [FormField] {
        hosts.enumerated().map { number, host in
            FormField(
                name: "\(Name.moreServers)\(number + 1)", label: "Further server", kind: .host,
                initialValue: host, hint: "Your service keeps mail here too. Leave it as it is to agree.")
        }
    }

    /// Who signs in. Part of the sign-in's memory, which is never stored.
    struct Person: Sendable, Codable {
        var address: String
        var name: String
        var kind: Proof.Kind
        var proof: String
        var user: String
        /// Where the browser comes back to, if it is to sign in.
        var redirect: URL?
        /// From a sign-in with the browser.
        var tokens: Tokens?

        /// What stands after the @.
        var domain: String { address.split(separator: "@").last.map { $0.lowercased() } ?? "" }
    }

    /// What a sign-in with the browser has brought, for the account.
    struct Tokens: Sendable, Codable {
        var service: JSONValue
        var secrets: [String: String]
    }

    static func person(in answers: [String: Secret]) throws(AccountError) -> Person {
        let address = try answers.mailAddress(
            Name.address, orSay: "Please enter your full address, such as ada@example.org.")
        let name = try answers.personName(Name.name)
        let kind = Proof.Kind(rawValue: answers[Name.kind]?.revealed ?? "") ?? .password
        if kind == .oauth {
            return Person(address: address, name: name, kind: kind, proof: "", user: address)
        }
        let proof =
            kind == .token ? answers.trimmed(Name.proof) : answers[Name.proof]?.revealed ?? ""
        guard !proof.isEmpty else {
            throw .invalid(field: Name.proof, reason: "Please enter the password or token.")
        }
        guard proof.utf8.count <= 4_000, proof.hasNoControls, kind == .password || !proof.contains(" ") else {
            throw .invalid(field: Name.proof, reason: "This cannot be a password or token.")
        }
        return Person(address: address, name: name, kind: kind, proof: proof, user: address)
    }

    /// The service that was chosen, or the one of the address; nil if its server has to be asked for.
    static func service(in answers: [String: Secret], _ person: Person) -> NamedService? {
        let chosen = answers[Name.service]?.revealed ?? ""
        if let service = NamedService.all.first(where: { $0.id == chosen }) { return service }
        return chosen == other ? nil : NamedService.all.first { $0.domains.contains(person.domain) }
    }

    /// The server that was entered, and the path on it; nil if no path was named.
    static func server(in answers: [String: Secret]) throws(AccountError) -> (URL, path: String?) {
        var host = answers.trimmed(Name.server).lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let port = answers.trimmed(Name.port)
        guard !host.isEmpty, host.utf8.count <= 253,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"/@?#:%\\".utf8.contains($0) }),
            let url = URL(string: "https://\(host)\(port.isEmpty || port == "443" ? "" : ":\(port)")/")
        else {
            throw .invalid(
                field: Name.server, reason: "Please enter a server name, such as mail.example.org.")
        }
        let path = answers.trimmed(Name.path)
        guard path.isEmpty || path.hasPrefix("/"), path.utf8.count <= 1_000, path.hasNoControls else {
            throw .invalid(field: Name.path, reason: "A path begins with a slash, such as /jmap/session.")
        }
        return (url, path.isEmpty ? nil : path)
    }
}
