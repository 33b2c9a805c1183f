/// How much a plugin may say at once, besides `SyncLimits`: see `docs/plugins/reading.md` and `docs/plugins/account.md`.
enum AnswerLimits {
    /// Batches in a row that hold nothing and have others behind them.
    static let emptyBatches = 1_000
    /// Bytes of a message or part, as its size says.
    static let messageBytes = 1 << 40
    /// Bytes of a message that are returned with it. Everything else is fetched when it is asked for.
    static let contentBytes = 1 << 28
    /// Keywords of one message; each has at most `SyncLimits.idBytes` bytes.
    static let keywords = 1_000
    /// Mailboxes that one message is in.
    static let mailboxesOfMessage = 1_000
    /// How deep mailboxes are nested.
    static let mailboxDepth = 100
    /// Bytes of a mailbox's name.
    static let nameBytes = 1_024
    /// Fields of a form, and as many choices of each.
    static let fields = 200
    /// Accounts that one sign-in comes to.
    static let candidates = 100
    /// Addresses that an account can send as.
    static let identities = 1_000
    /// Bytes of any text that a sign-in shows or an account is called.
    static let textBytes = 4_096
    /// How deep an account's settings may be nested.
    static let settingsDepth = 32
    /// Bytes of an account's settings.
    static let settingsBytes = 1 << 20
}
