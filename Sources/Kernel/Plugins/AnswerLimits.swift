/// Limits for results of plugins, in addition to `SyncLimits`: see `docs/plugins/reading.md` and
/// `docs/plugins/account.md`.
enum AnswerLimits {
    /// Consecutive empty batches with `hasMore`.
    static let emptyBatches = 1_000
    /// The size of a message or part in bytes, as the plugin reports it.
    static let messageBytes = 1 << 40
    /// Bytes of content returned with a message. The rest is fetched when it is needed.
    static let contentBytes = 1 << 28
    /// Keywords of one message; each has at most `SyncLimits.idBytes` bytes.
    static let keywords = 1_000
    /// Mailboxes of one message.
    static let mailboxesOfMessage = 1_000
    /// Nesting depth of mailboxes.
    static let mailboxDepth = 100
    /// Bytes of a mailbox's name.
    static let nameBytes = 1_024
    /// Fields of a form, and choices of each field.
    static let fields = 200
    /// Accounts that one sign-in returns.
    static let candidates = 100
    /// Sender addresses of an account.
    static let identities = 1_000
    /// Bytes of each text in a sign-in, and of an account's names and addresses.
    static let textBytes = 4_096
    /// Nesting depth of an account's settings.
    static let settingsDepth = 32
    /// Bytes of an account's settings.
    static let settingsBytes = 1 << 20
}
