public import MailKernelAPI

/// Brings the accounts of a `MemoryMailServer`, which sign in with an address and a password.
public struct MemoryAccountProvider: AccountProvider {
    static let passwordName = "password"
    private static let addressName = "address"

    /// The server, for tests that change it.
    public let server: MemoryMailServer

    public init(server: MemoryMailServer) {
        self.server = server
    }

    public var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "mailbox", title: "Add a mailbox in memory", serviceName: "Memory Mail",
                explanation: "Mail for trying things out. It is gone when the program stops."),
            AccountSetup(
                id: Self.demoID, kind: .demo, title: "Add every mailbox in memory",
                serviceName: "Memory Mail"),
        ]
    }

    private static let demoID = "demo"

    public func authorize(_ step: AuthorizationAnswer) throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request) where request.setupID == Self.demoID:
            return .finished(server.logins.map(candidate))
        case .begin(let request):
            return .form(
                [
                    FormField(
                        name: Self.addressName, label: "Address", kind: .email,
                        initialValue: request.account?.address ?? ""),
                    FormField(name: Self.passwordName, label: "Password", kind: .password),
                ], memory: Secret("form"))
        case .form(let answers, let memory):
            guard memory.revealed == "form" else {
                throw .badAnswer("the saved state of a different sign-in")
            }
            return .finished([try candidate(answers)])
        case .redirected, .shown:
            throw .unsupported("signing in with a browser")
        }
    }

    private func candidate(_ answers: [String: Secret]) throws(AccountError) -> AccountCandidate {
        let address = (answers[Self.addressName]?.revealed ?? "").lowercased()
        let sides = address.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) })
        else {
            throw .invalid(field: Self.addressName, reason: "This is not a mail address.")
        }
        guard let password = answers[Self.passwordName], !password.revealed.isEmpty else {
            throw .invalid(field: Self.passwordName, reason: "The password is missing.")
        }
        return AccountCandidate(
            settings: [Self.addressName: .string(address)], secrets: [Self.passwordName: password])
    }

    private func candidate(_ login: MemoryMailServer.Login) -> AccountCandidate {
        AccountCandidate(
            settings: [Self.addressName: .string(login.address)],
            secrets: [Self.passwordName: login.password])
    }

    public func validate(_ candidate: AccountCandidate) throws(AccountError) -> ValidatedAccount {
        if Task.isCancelled { throw .cancelled }
        let address = candidate.settings[Self.addressName]?.stringValue ?? ""
        let login = try server.signIn(address, candidate.secrets[Self.passwordName])
        return ValidatedAccount(
            address: login.address, displayName: login.displayName,
            identities: [EmailAddress(name: login.displayName, email: login.address)])
    }

    public func session(
        for account: Account, secrets: any SecretStore
    ) throws(AccountError) -> any AccountSession {
        guard let address = account.settings[Self.addressName]?.stringValue else {
            throw .invalid(field: Self.addressName, reason: "The account's settings contain no address.")
        }
        return MemoryAccountSession(server: server, address: address, secrets: secrets)
    }
}
