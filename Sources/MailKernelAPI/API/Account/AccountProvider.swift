public import FoundationEssentials

/// Adds and opens the mail accounts of one service.
///
/// The provider keeps nothing between calls: everything it learns about an account comes back to it in
/// `Account.settings` and the secret store. The kernel may call it from any task.
///
/// **Cancellation.** Every call ends soon after its task is canceled and throws `AccountError.cancelled`.
/// Repeating the call must complete anything it left unfinished.
///
/// **Errors.** Every method may throw any `AccountError`; each case says what the user then sees.
public protocol AccountProvider: Sendable {
    /// The ways to add an account, in the order in which the page offers them. At least one.
    var setups: [AccountSetup] { get }

    /// Takes the next step of signing in. The kernel calls it first with `.begin`, then with the user's
    /// answer to each step, until it returns `.finished` or throws.
    ///
    /// Store nothing here. Values needed in the next step go into the step's `memory`, which the kernel keeps
    /// in memory only and passes back. That includes the request: later steps do not receive it again.
    ///
    /// - Throws: `.denied` if the user refused in the browser: the page returns to the screen where accounts
    ///   are added, without a message. `.offline`, `.unreachable`: "Network unavailable. Check your
    ///   connection and try again." Everything else: "Authentication failed. Please try again."
    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep

    /// Tries everything that the account needs, both receiving and sending, and describes the account. The
    /// kernel adds the account only after this returns. It validates each candidate separately.
    ///
    /// - Throws: the user sees "Couldn't connect to …. Please check account permissions." with the reason
    ///   below, and this candidate is not added.
    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount

    /// Makes the session of an added account. Called once per account and start, and again after the
    /// account's settings changed. Does not connect: sessions connect when they need to.
    func session(for account: Account, secrets: any SecretStore) async throws(AccountError)
        -> any AccountSession

    /// Revokes at the service what can be revoked for an account that is being removed, such as a token, and
    /// deletes the plugin's files about it. The account's session is already closed. The account is removed
    /// even if this throws. Does nothing by default.
    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError)
}

extension AccountProvider {
    public func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {}
}

/// One way to add an account, as shown on the page where accounts are added.
public struct AccountSetup: Sendable, Hashable, Codable {
    /// What kind of account a setup adds. Decides where the page offers it.
    public enum Kind: String, Sendable, Codable {
        /// An account at a mail service.
        case account
        /// Mail that stays on this device. The initial values of its form must be enough to make the account:
        /// `mailkernel import` makes one that way if there is none.
        case local
        /// A mailbox for trying the program. It needs no account anywhere: `authorize` finishes at once,
        /// without a question. `mailkernel --demo` adds it.
        case demo
    }

    /// Identifies the setup within the provider. Must stay the same in later versions.
    public var id: String
    /// What kind of account this adds; `.account` by default.
    public var kind: Kind
    /// The heading or button that starts it: "Add your Gmail account".
    public var title: String
    /// The name of the service in sentences: "Gmail".
    public var serviceName: String
    /// One or two sentences below the title; empty if none are needed.
    public var explanation: String
    /// A page about steps to take first, such as getting a client id: an https address, or one of the
    /// program's own documents, such as `/docs/gmail.html`. Nil for none.
    public var helpURL: URL?
    /// The services that this setup knows. The kernel starts this setup for their addresses without asking
    /// any server.
    public var services: [KnownService]
    /// The protocols of discovered services that this setup can add. Empty if it adds only `services`.
    public var protocols: [MailProtocol]

    public init(
        id: String, kind: Kind = .account, title: String, serviceName: String, explanation: String = "",
        helpURL: URL? = nil, services: [KnownService] = [], protocols: [MailProtocol] = []
    ) {
        self.services = services
        self.protocols = protocols
        self.id = id
        self.kind = kind
        self.title = title
        self.serviceName = serviceName
        self.explanation = explanation
        self.helpURL = helpURL
    }
}

/// The start of a sign-in.
public struct AuthorizationRequest: Sendable, Hashable, Codable {
    /// The `AccountSetup.id` that the user chose. For an account that signs in again it is the provider's
    /// first setup; use the account's settings to decide.
    public var setupID: String
    /// A loopback address where the kernel waits for the browser to come back. Pass it to the service as the
    /// redirect address.
    public var redirect: URL
    /// The account that signs in again because its sign-in is no longer valid; nil for a new one.
    ///
    /// Its address cannot change: offer it as login hint, or fill it into the form. The kernel keeps the
    /// candidate that validates with this address. If none does, nothing changes and the user reads that this
    /// was another account.
    public var account: Account?
    /// The service of the address that the user typed, if the kernel found it. Begin with a form that asks
    /// only for what is missing, usually the password and the name; nil if the user chose the setup.
    public var discovered: DiscoveredService?

    public init(
        setupID: String, redirect: URL, account: Account? = nil, discovered: DiscoveredService? = nil
    ) {
        self.discovered = discovered
        self.setupID = setupID
        self.redirect = redirect
        self.account = account
    }
}

/// What the kernel passes to `AccountProvider.authorize`: the start of a sign-in, or the user's answer to the
/// last step.
///
/// Encoding leaves out the form's values and `memory`, which travel beside it.
public enum AuthorizationAnswer: Sendable, Codable {
    /// The sign-in begins.
    case begin(AuthorizationRequest)
    /// The user filled in the last step's form: the values by `FormField.name`, and the step's `memory`. The
    /// kernel has already checked required fields, ports, choices and the length (at most 4,096 bytes each).
    case form([String: Secret] = [:], memory: Secret = Secret(""))
    /// The browser came back to the redirect address: its query items by name, and the step's `memory`.
    case redirected([String: String], memory: Secret = Secret(""))
    /// The user sees the last step's code; with its `memory`. Return when the user has signed in with it, and
    /// throw when the code is no longer valid: `.denied` if the user refused. Ask the service at the intervals
    /// that it names. The kernel waits for half an hour, and cancels the task if the user gives up.
    case shown(memory: Secret = Secret(""))

    private enum ShownCodingKeys: CodingKey {}
    private enum FormCodingKeys: CodingKey {}
    private enum RedirectedCodingKeys: CodingKey {
        case _0
    }
}

/// What a sign-in needs next.
///
/// Encoding leaves out `memory`, which travels beside it.
public enum AuthorizationStep: Sendable, Codable {
    /// Show the user a form with these fields. `memory` comes back with the answer; empty if the answer alone
    /// is enough.
    case form([FormField], memory: Secret = Secret(""))
    /// Open this page in the user's browser and wait for the redirect. The address must have a `state`
    /// parameter that cannot be guessed and differs each time; the kernel finds the sign-in by it.
    case browser(URL, memory: Secret = Secret(""))
    /// Show the user this code, to be entered on another page (RFC 8628). The kernel answers with `.shown` at
    /// once, and shows the code until that call returns.
    case code(SignInCode, memory: Secret = Secret(""))
    /// The sign-in is complete. One sign-in can return several accounts, for example shared mailboxes. Never
    /// empty; the user's own account comes first.
    case finished([AccountCandidate])

    private enum FormCodingKeys: CodingKey {
        case _0
    }
    private enum BrowserCodingKeys: CodingKey {
        case _0
    }
    private enum CodeCodingKeys: CodingKey {
        case _0
    }
}

/// A code with which the user signs in on any device, such as a telephone.
public struct SignInCode: Sendable, Hashable, Codable {
    /// What the user types there: up to 100 characters without line breaks.
    public var code: String
    /// Where it is typed: an https address that is short enough to be typed itself. The user sees it.
    public var page: URL
    /// The same page with the code filled in, for a link; nil if the service names none.
    public var filledPage: URL?

    public init(code: String, page: URL, filledPage: URL? = nil) {
        self.code = code
        self.page = page
        self.filledPage = filledPage
    }
}

/// One field of a sign-in form.
public struct FormField: Sendable, Hashable, Codable {
    /// What a field asks for. Decides how it looks and what the kernel checks.
    public enum Kind: Sendable, Hashable, Codable {
        /// Any line of text.
        case text
        /// An email address. The kernel does not check it.
        case email
        /// A secret. Not shown while typing, and never filled in again after an error.
        case password
        /// The name of a server. The kernel does not check it.
        case host
        /// A number from 1 to 65,535. The kernel rejects anything else.
        case port
        /// One of these choices, at least one. The kernel rejects any other value.
        case choice([Choice])
    }

    /// One entry of a `.choice` field.
    public struct Choice: Sendable, Hashable, Codable {
        /// The answer that the provider receives.
        public var value: String
        /// The text that the user sees.
        public var label: String

        public init(value: String, label: String) {
            self.value = value
            self.label = label
        }
    }

    /// The key of the answer in `AuthorizationAnswer.form`. Not empty, and unique in its form.
    public var name: String
    /// The text beside the field. Not empty; the kernel's error sentences quote it.
    public var label: String
    /// What the field asks for.
    public var kind: Kind
    /// The value that the field starts with; empty for none. For `.choice`, the `value` of one of the
    /// choices.
    public var initialValue: String
    /// Whether the field must be filled in. If it is, the kernel rejects an empty answer itself; if not, the
    /// provider may receive an empty string.
    public var isRequired: Bool
    /// Help below the field; empty if the label is enough.
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

/// An account that has signed in but is not added yet. Each candidate is validated and added separately.
///
/// Encoding leaves out `secrets`, which travel beside it.
public struct AccountCandidate: Sendable, Codable {
    /// Values that the session needs later, such as servers and ports; becomes `Account.settings`. Never a
    /// secret.
    public var settings: [String: JSONValue]
    /// Secrets by name. The kernel stores them in the account's part of the secret store when it adds the
    /// account.
    public var secrets: [String: Secret] = [:]

    private enum CodingKeys: CodingKey {
        case settings
    }

    public init(settings: [String: JSONValue], secrets: [String: Secret]) {
        self.settings = settings
        self.secrets = secrets
    }
}

/// An account that works, as `AccountProvider.validate` found it.
public struct ValidatedAccount: Sendable, Hashable, Codable {
    /// The account's email address; not empty. A plugin cannot have two accounts with the same address,
    /// whatever its case.
    public var address: String
    /// The name shown for the account, which the user can change later. Also the sender's name of identities
    /// without one.
    public var displayName: String
    /// Every address that the account can send from, its own first. If empty, the kernel makes one identity
    /// from `displayName` and `address`.
    public var identities: [EmailAddress]

    public init(address: String, displayName: String, identities: [EmailAddress]) {
        self.address = address
        self.displayName = displayName
        self.identities = identities
    }
}
