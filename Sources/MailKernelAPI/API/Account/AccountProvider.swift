public import FoundationEssentials

/// Brings mail accounts of one service.
///
/// The provider itself keeps nothing between calls: what it learns about an account comes back to it
/// in `AccountSettings` and in the secret store. The kernel may call it from any task.
///
/// **Cancellation.** Every call ends soon after its task is cancelled, with `AccountError.cancelled`,
/// and leaves nothing half done that the same call made again would not put right.
///
/// **Errors.** Every method may throw any `AccountError`; each case says what the user then sees.
public protocol AccountProvider: Sendable {
    /// The ways to add an account, in the order in which the page offers them. At least one.
    var setups: [AccountSetup] { get }

    /// Takes the next step of signing in. The kernel calls it first with `.begin`, then with the
    /// user's answer to each step, until the answer is `.finished` or it throws.
    ///
    /// Nothing is stored on the way: what has to be remembered between two steps goes into the
    /// step's `memory`, which the kernel keeps in memory only and gives back. That holds for the
    /// request too: later steps do not bring it again.
    ///
    /// - Throws: `.denied` if the user refused in the browser: the page goes back to where the
    ///   account is added, and says nothing more. `.offline`, `.unreachable`: "Network unavailable.
    ///   Check your connection and try again." Everything else: "Authentication failed. Please try
    ///   again."
    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep

    /// Tries everything that the account needs, receiving and sending both, and says what it is.
    /// The kernel adds the account only after this returned. Of several candidates it validates each.
    ///
    /// - Throws: the user sees "Couldn't connect to …. Please check account permissions.", with the
    ///   reason below, and this candidate is not added.
    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount

    /// Makes the session of an account that was added. Called once per account and start, and again
    /// after the account's settings changed. Does not connect: sessions connect when they need to.
    func session(for account: Account, secrets: any SecretStore) async throws(AccountError)
        -> any AccountSession

    /// Ends what the service can end of an account that is being removed, such as a token, and deletes
    /// what the plugin keeps of it in its data folder. Its session has been closed before. Failing
    /// does not keep the account. Does nothing by default.
    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError)
}

extension AccountProvider {
    public func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {}
}

/// One way to add an account, and how it introduces itself where accounts are added.
public struct AccountSetup: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// An account that the user has, or makes.
        case account
        /// Mail that stays on this machine: the initial values of its form are enough to make one.
        /// `mailkernel import` makes one where there is none.
        case local
        /// A mailbox to look around in, which needs no account anywhere: its sign-in is finished at
        /// once, without a question. `mailkernel --demo` adds it.
        case demo
    }

    /// Names it within the provider, and stays the same in later versions.
    public var id: String
    public var kind: Kind
    /// "Add your Gmail account".
    public var title: String
    /// The name of the service in sentences: "Gmail".
    public var serviceName: String
    /// One or two sentences below the title; empty if there is nothing to say.
    public var explanation: String
    /// Where the user reads what to do first, such as getting a client id: an address with https, or one of the
    /// program's own documents, such as `/docs/gmail.html`.
    public var helpURL: URL?

    public init(
        id: String, kind: Kind = .account, title: String, serviceName: String, explanation: String = "",
        helpURL: URL? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.serviceName = serviceName
        self.explanation = explanation
        self.helpURL = helpURL
    }
}

/// What a sign-in begins with.
public struct AuthorizationRequest: Sendable {
    /// Which of the provider's setups the user chose. For an account that signs in again it is the
    /// first one; the account's settings tell more.
    public var setupID: String
    /// A loopback address that the kernel listens on for the browser.
    public var redirect: URL
    /// The account that signs in again, because its sign-in is no longer valid; nil for a new one.
    ///
    /// It keeps its address: offer that as login hint, or put it into the form. The kernel takes over
    /// the candidate that is validated with this address; if there is none, nothing changes, and the
    /// user is told that this was another account.
    public var account: Account?

    public init(setupID: String, redirect: URL, account: Account? = nil) {
        self.setupID = setupID
        self.redirect = redirect
        self.account = account
    }
}

public enum AuthorizationAnswer: Sendable {
    /// Start.
    case begin(AuthorizationRequest)
    /// The user filled in the form of the last step: values by the fields' names.
    case form([String: Secret], memory: Secret)
    /// The browser came back to the redirect with these query items.
    case redirected([String: String], memory: Secret)
}

public enum AuthorizationStep: Sendable {
    /// Ask the user these things.
    case form([FormField], memory: Secret)
    /// Send the user to this page in the system's browser and wait for the redirect.
    case browser(URL, memory: Secret)
    /// All is known that is needed to try the accounts. Several may come out of one sign-in: a demo
    /// with two people, a login with shared mailboxes. Never empty; the user's own comes first.
    case finished([AccountCandidate])
}

/// One thing to ask the user.
public struct FormField: Sendable, Hashable, Codable {
    public enum Kind: Sendable, Hashable, Codable {
        case text, email, password, host, port
        case choice([Choice])
    }

    public struct Choice: Sendable, Hashable, Codable {
        public var value: String
        public var label: String

        public init(value: String, label: String) {
            self.value = value
            self.label = label
        }
    }

    public var name: String
    public var label: String
    public var kind: Kind
    public var initialValue: String
    public var isRequired: Bool
    /// Below the field, what to put there; empty if the label says it.
    public var hint: String

    public init(
        name: String, label: String, kind: Kind, initialValue: String = "", isRequired: Bool = true,
        hint: String = ""
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.initialValue = initialValue
        self.isRequired = isRequired
        self.hint = hint
    }
}

/// An account that has signed in but is not added yet. Each is added, or not, on its own.
public struct AccountCandidate: Sendable {
    /// What the session needs to have back; becomes `Account.settings`. Never a secret.
    public var settings: [String: JSONValue]
    /// Put into the account's drawer of the secret store when it is added, and not before.
    public var secrets: [String: Secret]

    public init(settings: [String: JSONValue], secrets: [String: Secret]) {
        self.settings = settings
        self.secrets = secrets
    }
}

/// An account that was tried and works.
public struct ValidatedAccount: Sendable, Hashable, Codable {
    public var address: String
    public var displayName: String
    /// Everything one can send as, the account's own address first.
    public var identities: [EmailAddress]

    public init(address: String, displayName: String, identities: [EmailAddress]) {
        self.address = address
        self.displayName = displayName
        self.identities = identities
    }
}
