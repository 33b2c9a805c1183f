/// Limits for results of plugins, in addition to `SyncLimits`: see `docs/plugins/reading.md` and
/// `docs/plugins/account.md`.
package enum AnswerLimits {
    /// Consecutive empty batches with `hasMore`.
    package static let emptyBatches = 1_000
    /// The size of a message or part in bytes, as the plugin reports it.
    package static let messageBytes = 1 << 40
    /// Bytes of content returned with a message. The rest is fetched when it is needed.
    package static let contentBytes = 1 << 28
    /// Keywords of one message; each has at most `SyncLimits.idBytes` bytes.
    package static let keywords = 1_000
    /// Mailboxes of one message.
    package static let mailboxesOfMessage = 1_000
    /// Nesting depth of mailboxes.
    package static let mailboxDepth = 100
    /// Bytes of a mailbox's name.
    package static let nameBytes = 1_024
    /// Ways to add an account that one plugin offers.
    package static let setups = 100
    /// Services that a setup knows, and the names of each.
    package static let services = 1_000
    /// Fields of a form, and choices of each field.
    package static let fields = 200
    /// Accounts that one sign-in returns.
    package static let candidates = 100
    /// Sender addresses of an account.
    package static let identities = 1_000
    /// Bytes of each text in a sign-in, of an account's names and addresses, and of a link.
    package static let textBytes = 4_096
    /// Scripts that a service keeps for one account, and the bytes of a name and of a text.
    package static let scripts = 200
    package static let scriptNameBytes = 512
    package static let scriptBytes = 1 << 20
    /// Extensions of scripts.
    package static let scriptExtensions = 500
    /// Bytes of each text of a vacation reply.
    package static let vacationBytes = 1 << 18
    /// Quotas of an account, the types of data of each, and the largest number: what JSON carries exactly.
    package static let quotas = 100
    package static let quotaTypes = 20
    package static let quotaNumber = 1 << 53 - 1
    /// Nesting depth of an account's settings.
    package static let settingsDepth = 32
    /// Bytes of an account's settings.
    package static let settingsBytes = 1 << 20
}
