public import MailKernelAPI
import OAuth

/// The stored data of an account: who signs in and whose mailbox it is, in its settings; the proof in its drawer.
public struct MicrosoftAccount: Sendable, Hashable {
    private enum Key {
        static let address = "address"
        static let mailbox = "mailbox"
        static let clientID = "clientId"
    }

    /// Who signs in.
    public var address: String
    /// The shared mailbox that is opened; nil for one's own.
    public var mailbox: String?
    public var clientID: String?

    /// Whose mail it is.
    public var owner: String { mailbox ?? address }

    public init(_ settings: [String: JSONValue]) throws(AccountError) {
        guard let address = settings[Key.address]?.stringValue else {
            throw .invalid(field: Key.address, reason: "The account's settings contain no address.")
        }
        self.address = address
        mailbox = settings[Key.mailbox]?.stringValue
        clientID = settings[Key.clientID]?.stringValue
    }

    static func candidate(_ signIn: ClientSignIn.Result) -> AccountCandidate {
        var settings: [String: JSONValue] = [
            Key.address: .string(signIn.address), Key.clientID: .string(signIn.client.id),
        ]
        settings[Key.mailbox] = signIn.note[MicrosoftForm.mailbox].map { .string($0) }
        let secrets = DrawerSignIn.secrets(
            refreshToken: signIn.refreshToken, client: signIn.client, firstToken: signIn.accessToken)
        return AccountCandidate(settings: settings, secrets: secrets)
    }
}
