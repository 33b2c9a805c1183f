import MailKernelAPI
import OAuth

/// The stored data of an account: its identity in its settings, its proof in its drawer.
enum GmailAccount {
    private enum Key {
        static let address = "address"
        static let clientID = "clientId"
        static let usesAppPassword = "usesAppPassword"
    }

    static func candidate(_ signIn: ClientSignIn.Result) -> AccountCandidate {
        AccountCandidate(
            settings: [Key.address: .string(signIn.address), Key.clientID: .string(signIn.client.id)],
            secrets: DrawerSignIn.secrets(refreshToken: signIn.refreshToken, client: signIn.client))
    }

    static func candidate(_ address: String, appPassword: Secret) -> AccountCandidate {
        AccountCandidate(
            settings: [Key.address: .string(address), Key.usesAppPassword: .bool(true)],
            secrets: [GmailPassword.secretName: appPassword])
    }

    /// Whether it signs in with an app password, and not by a client in the browser.
    static func usesAppPassword(_ settings: [String: JSONValue]) -> Bool {
        settings[Key.usesAppPassword]?.boolValue == true
    }

    static func address(in settings: [String: JSONValue]) throws(AccountError) -> String {
        guard let address = settings[Key.address]?.stringValue else {
            throw .invalid(field: Key.address, reason: "The account's settings contain no address.")
        }
        return address
    }

    static func clientID(of account: Account) -> String? { account.settings[Key.clientID]?.stringValue }

    /// The sign-in of an account.
    static func signIn(
        _ settings: [String: JSONValue], _ secrets: any SecretStore, memory: ClientMemory, remembers: Bool
    ) -> DrawerSignIn {
        DrawerSignIn(
            clientID: settings[Key.clientID]?.stringValue, secrets: secrets, memory: memory,
            remembers: remembers)
    }
}
