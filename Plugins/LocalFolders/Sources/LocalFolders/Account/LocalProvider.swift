import FoundationEssentials
import MailKernelAPI

/// The provider, for the target that is the plugin: other plugins link this library for `KeptMail`.
public enum LocalAccountsOnThisDevice {
    public static func provider(_ host: HostServices) -> Provider { .account(LocalProvider(host)) }
}

/// Brings accounts whose mail lives on this device only.
struct LocalProvider: AccountProvider {
    private enum Key {
        static let name = "name"
        static let address = "address"
        static let demo = "demo"
    }

    private let host: HostServices
    private let accounts: LocalAccounts

    init(_ host: HostServices) {
        self.host = host
        accounts = LocalAccounts(host.dataFolder)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "device", kind: .local, title: "Mail on this device", serviceName: "this device",
                explanation:
                    "A mailbox that is kept on this device only: for notes, for messages to other accounts on this "
                    + "device, and for mail from files, which the command “mailkernel import” adds."),
            AccountSetup(
                id: "demo", kind: .demo, title: "Try a demo mailbox", serviceName: "the demo",
                explanation: "Two made-up people with a few weeks of mail. Nothing leaves this device."
            ),
        ]
    }

    func authorize(_ step: AuthorizationAnswer) throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request) where request.setupID == "demo" && request.account == nil:
            return .finished(DemoPerson.all.map { candidate($0.address, name: $0.name, isDemo: true) })
        case .begin(let request):
            // There is nothing to sign in to: an account that is asked to is as good as before.
            if let account = request.account { return .finished([again(account)]) }
            return .form(Self.form)
        case .form(let answers, _):
            return .finished([try candidate(answers)])
        case .redirected, .shown:
            throw .unsupported("signing in with a browser")
        }
    }

    private static let form = [
        FormField(
            name: Key.name, label: "Your name", kind: .text, initialValue: "Local mail",
            hint: "Shown to recipients, for example Ada Lovelace."),
        FormField(
            name: Key.address, label: "Address", kind: .email, isRequired: false,
            hint:
                "Leave this empty to use your name, such as ada.lovelace@\(LocalAddress.domain). The address works "
                + "on this device only: it cannot receive mail from elsewhere."),
    ]

    private func candidate(_ answers: [String: Secret]) throws(AccountError) -> AccountCandidate {
        let name = (answers[Key.name]?.revealed ?? "").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        guard !name.isEmpty else {
            throw .invalid(field: Key.name, reason: "Please enter a name.")
        }
        guard name.utf8.count <= 200, !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw .invalid(field: Key.name, reason: "This name is too long.")
        }
        let entered = answers[Key.address]?.revealed ?? ""
        guard !entered.allSatisfy(\.isWhitespace) else {
            return candidate(LocalAddress(name: name), name: name, isDemo: false)
        }
        guard let address = LocalAddress(entered) else {
            throw .invalid(
                field: Key.address, reason: "Please enter an address such as ada@\(LocalAddress.domain).")
        }
        return candidate(address, name: name, isDemo: false)
    }

    private func candidate(_ address: LocalAddress, name: String, isDemo: Bool) -> AccountCandidate {
        AccountCandidate(
            settings: [
                Key.address: .string(address.text), Key.name: .string(name), Key.demo: .bool(isDemo),
            ], secrets: [:])
    }

    private func again(_ account: Account) -> AccountCandidate {
        AccountCandidate(settings: account.settings, secrets: [:])
    }

    func validate(_ candidate: AccountCandidate) throws(AccountError) -> ValidatedAccount {
        if Task.isCancelled { throw .cancelled }
        let address = try address(in: candidate.settings)
        let name = candidate.settings[Key.name]?.stringValue ?? address.text
        return ValidatedAccount(
            address: address.text, displayName: name,
            identities: [EmailAddress(name: name, email: address.text)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let address = try address(in: account.settings)
        try await forTheKernel { () throws(FolderError) in try accounts.prepare(address) }
        let isDemo = account.settings[Key.demo]?.boolValue ?? false
        return LocalSession(address: address, isDemo: isDemo, accounts: accounts, host: host)
    }

    /// The mail is nowhere else: it goes with the account.
    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        let address = try address(in: account.settings)
        try await forTheKernel { () throws(FolderError) in try accounts.remove(address) }
    }

    private func address(in settings: [String: JSONValue]) throws(AccountError) -> LocalAddress {
        guard let address = settings[Key.address]?.stringValue.flatMap({ LocalAddress($0) }) else {
            throw .invalid(field: Key.address, reason: "The account's settings contain no address.")
        }
        return address
    }
}
