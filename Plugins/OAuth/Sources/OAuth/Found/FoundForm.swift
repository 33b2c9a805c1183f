import FoundationEssentials
import MailKernelAPI

/// The form of a found sign-in: the hosts to agree to, and the way to choose.
enum FoundForm {
    enum Name {
        /// Two names, because the kernel forgets the hosts that were entered before an answer changes.
        static let way = "way"
        static let firstWay = "firstWay"
        static let client = "clientId"
        static let secret = "clientSecret"
    }

    /// - Parameters:
    ///   - hosts: those that the user has not seen.
    ///   - ways: not shown if there is only one.
    static func fields(
        _ hosts: [String], ways: [FoundState.Way], isFirst: Bool = false, asksForClient: Bool = false
    ) -> [FormField] {
        let choice = FormField(
            name: isFirst ? Name.firstWay : Name.way, label: "Sign in with",
            kind: .choice(ways.map { FormField.Choice(value: $0.rawValue, label: label($0)) }),
            initialValue: ways.first?.rawValue ?? "")
        let servers = hosts.map { host in
            FormField(
                name: name(of: host), label: "Sign-in server", kind: .host, initialValue: host,
                hint: "Your service signs people in there. Leave it as it is to agree.")
        }
        return (ways.count > 1 ? [choice] : []) + servers + (asksForClient ? client : [])
    }

    private static func name(of host: String) -> String { "signInServer.\(host)" }

    private static func label(_ way: FoundState.Way) -> String {
        switch way {
        case .browser: "This browser"
        case .code: "A code, on any device"
        case .password: "Password"
        }
    }

    private static let client = [
        FormField(
            name: Name.client, label: "Client ID", kind: .text,
            hint:
                "Your service accepts only mail apps that are registered there. Ask its administrator for an ID."
        ),
        FormField(
            name: Name.secret, label: "Client secret", kind: .password, isRequired: false,
            hint: "Only if you were given one."),
    ]

    static func way(in answers: [String: Secret]) -> FoundState.Way? {
        (answers[Name.way] ?? answers[Name.firstWay]).flatMap { FoundState.Way(rawValue: $0.revealed) }
    }

    /// Whether the user has agreed to these hosts: another name would be one that the server does not use.
    static func check(_ answers: [String: Secret], _ hosts: [String]) throws(AccountError) {
        for host in hosts {
            let name = name(of: host)
            let typed = (answers[name]?.revealed ?? "").filter { !$0.isWhitespace }.lowercased()
            guard typed == host else {
                throw .invalid(field: name, reason: "Your service uses \(host) here.")
            }
        }
    }

    static func client(
        in answers: [String: Secret], redirect: String
    ) throws(AccountError) -> RegisteredClient {
        let id = (answers[Name.client]?.revealed ?? "").filter { !$0.isWhitespace }
        let secret = (answers[Name.secret]?.revealed ?? "").filter { !$0.isWhitespace }
        guard !id.isEmpty, (id + secret).utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .invalid(field: Name.client, reason: "Please enter the client ID as you were given it.")
        }
        return RegisteredClient(
            id: id, secret: secret.isEmpty ? nil : secret, secretEnds: nil, redirect: redirect)
    }
}
