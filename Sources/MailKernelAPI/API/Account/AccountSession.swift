public import FoundationEssentials

/// Access to one account's mail.
///
/// The kernel calls a session from several tasks at once: it reads changes of several feeds, fetches a part
/// and watches at the same time. The session decides how many connections it uses (at most five), and
/// connects, signs in and reconnects by itself. A session that the server ended is not an error.
///
/// Do not retry anything that the user could notice: the kernel has one retry policy for all accounts.
public protocol AccountSession: Sendable {
    /// What this account can do. The kernel asks after `mailboxes()` has succeeded once.
    var features: AccountFeatures { get async }

    /// All mailboxes, parents before their children, and the feeds that their mail is read from.
    ///
    /// Containers that repeat every message, such as Gmail's All Mail, are feeds and not mailboxes.
    func mailboxes() async throws(AccountError) -> MailboxListing

    /// The next batch of changes of a feed.
    ///
    /// The kernel stores a batch and its cursor together, and asks again with that cursor while `hasMore` is
    /// set. If the program is killed in between, it asks again with the last stored cursor. So the kernel may
    /// receive a batch twice, and both must mean the same. New messages come newest first.
    ///
    /// - Parameters:
    ///   - cursor: the cursor of the last stored batch; nil to read the feed from the beginning.
    ///   - since: leave out messages received earlier; nil for all.
    ///   - known: the messages of this feed that the kernel holds, for finding removed ones. When a feed is
    ///     read from the beginning, messages that the kernel already holds may come as updates with their
    ///     current state, to avoid downloading them again.
    /// - Throws: `.cursorExpired` if the feed must be read from the beginning (an IMAP server changed its
    ///   UIDVALIDITY, or this version does not understand the cursor). `.notFound` if the feed is gone. Other
    ///   feeds continue in both cases.
    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch

    /// Writes one part of a message, decoded, into `sink`; the whole message, byte for byte, if `partID` is
    /// nil.
    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError)

    /// Carries out the user's changes in order. Returns one outcome per mutation, in the same order; after
    /// the first that could not even be tried (no connection), the rest are `.notTried`.
    ///
    /// Repeating a mutation after an interruption changes nothing more. A mutation whose result is already
    /// there is `.done`: a message to destroy that is gone, a mailbox to create that exists, one to delete
    /// that does not. After a mutation that the service refuses, continue with the next.
    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome]

    /// Adds a message to a mailbox and returns its new id if the server reports one.
    ///
    /// With `replacing`, the earlier message is gone when this returns and not in Trash: in one step if
    /// `.replacesAtomically`, otherwise add the new one before removing the old one. If the earlier message
    /// is already gone, add the new one all the same.
    ///
    /// - Throws: `.notFound` if there is no such mailbox. When it throws, the earlier message is still there.
    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome

    /// Adds many messages at once, for an import. Returns one outcome per message, in the same order.
    ///
    /// A message whose bytes the account already has is not added again: put it into the requested mailboxes
    /// that it is not in yet, add the keywords that it does not have, and keep its date. So an interrupted batch
    /// can be repeated, and a batch that contains the same message twice adds it once, with the keywords of both.
    ///
    /// Everything that the outcomes report is durable when this returns. A message that cannot be read or is
    /// refused does not stop the others. The kernel passes at most 1,000 messages and 32 MiB at once, or one
    /// message that is larger.
    ///
    /// - Throws: if the rest of the batch could not even be tried (no connection, a full disk). Some of the
    ///   messages may have been added, but none in part. `.unsupported` by default, and if `.imports` is not
    ///   among the features.
    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome]

    /// Hands a message over for delivery.
    ///
    /// Throw only if certainly nothing was handed over, so that another try cannot send twice. Otherwise
    /// return an outcome.
    ///
    /// - Throws: `.unsupported` if `.submission` is not among the features.
    func submit(_ message: any ByteSource, envelope: Envelope) async throws(AccountError) -> SubmissionOutcome

    /// For how long the service can hold a message before it delivers it; nil, by default, if it cannot. The kernel
    /// asks when the user looks at scheduled messages, and hands one over only when the user wants that.
    func holdLimits() async throws(AccountError) -> HoldLimits?

    /// Takes back a message that the service holds (`Envelope.holdUntil`). It is not delivered, and the copy that the
    /// service put into Sent is a draft in Drafts again.
    ///
    /// A call whose answer was lost is repeated: a message that was taken back before counts as taken back.
    ///
    /// - Returns: whether it was taken back. False if the service has delivered it, or does not know it.
    /// - Throws: `.unsupported` by default. The kernel asks only if `HoldLimits.canCancel` is set.
    func cancelHeld(messageID: String) async throws(AccountError) -> Bool

    /// Whether the service's Sent mailbox contains a message with this Message-ID. The kernel asks before it
    /// retries a send whose outcome is unknown.
    ///
    /// - Throws: `.unsupported` if the account has no place to look.
    func findSent(messageID: String) async throws(AccountError) -> Bool

    /// Reports changes as they happen, until the reading task is canceled or the connection is lost. A lost
    /// connection ends the stream with an error, and the kernel starts watching again.
    ///
    /// By default the stream ends at once: without `.push`, the kernel asks for changes at intervals.
    func watch() -> AsyncThrowingStream<WatchEvent, any Error>

    /// Searches on the server for messages that are not on this device. Newest first, at most `limit`.
    ///
    /// - Throws: `.unsupported` by default. The kernel asks only if `.serverSearch` is among the features.
    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress]

    /// Reads messages of a feed that `search` found, as `changes` would report them. Those that are gone, or that
    /// cannot be read, are left out.
    ///
    /// The kernel passes at most 50 ids at once. Reading does not change the messages: they stay unread.
    ///
    /// - Throws: `.unsupported` by default. The kernel asks only if `.olderMail` is among the features.
    ///   `.notFound` if the feed is gone.
    func read(_ messages: [RemoteMessageID], feed: FeedID) async throws(AccountError) -> [RemoteMessage]

    /// The scripts that the service keeps; nil, which is the default, if it keeps none for its users.
    func scripts() async throws(AccountError) -> RemoteScripts?

    /// The text of a script, as it was put.
    ///
    /// - Throws: `.notFound` if there is no such script, `.unsupported` by default.
    func script(named name: String) async throws(AccountError) -> String

    /// Adds a script, or replaces the one of this name. The service checks it first. A script that is active stays
    /// active, with the new text.
    ///
    /// The service may have done this, or `activateScript` or `deleteScript`, although the call throws: the kernel reads
    /// what is there before it tries again.
    ///
    /// - Throws: `.refused` with the service's reason if the script is not valid there or too large. `.unsupported` by
    ///   default.
    func putScript(_ text: String, named name: String) async throws(AccountError)

    /// Makes a script the active one, or none if the name is nil.
    ///
    /// - Throws: `.notFound` if there is no such script, `.unsupported` by default.
    func activateScript(named name: String?) async throws(AccountError)

    /// Deletes a script that is not active. One that does not exist is deleted already.
    ///
    /// - Throws: `.refused` if it is active, `.unsupported` by default.
    func deleteScript(named name: String) async throws(AccountError)

    /// The vacation reply of the service.
    ///
    /// - Throws: `.unsupported` by default. The kernel asks only if `.vacation` is among the features.
    func vacation() async throws(AccountError) -> RemoteVacation

    /// Replaces the vacation reply of the service. Setting the same one again changes nothing.
    ///
    /// - Throws: `.refused` with the service's reason if it does not accept this one. `.unsupported` by default.
    func setVacation(_ vacation: RemoteVacation) async throws(AccountError)

    /// The limits that the service sets for this account, and how much of each is used; empty, by default, if it sets none
    /// or does not say. The kernel asks at most once an hour, while the user looks at them.
    func quotas() async throws(AccountError) -> [AccountQuota]

    /// Where the service offers this account through JMAP as well; nil, by default, if it does not say so. It comes from
    /// the service: nothing is sent there before the user agrees.
    func jmapSessionURL() async throws(AccountError) -> URL?

    /// Closes every connection. The kernel does not use the session afterwards.
    func close() async
}

extension AccountSession {
    public func importMessages(
        _ messages: [ImportedMessage]
    ) async throws(AccountError) -> [ImportOutcome] {
        throw .unsupported("importing mail")
    }

    public func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        throw .unsupported("sending mail")
    }

    public func holdLimits() async throws(AccountError) -> HoldLimits? { nil }

    public func cancelHeld(messageID: String) async throws(AccountError) -> Bool {
        throw .unsupported("taking back a message")
    }

    public func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    public func search(
        _ filter: EmailFilter, limit: Int
    ) async throws(AccountError) -> [RemoteAddress] {
        throw .unsupported("searching on the server")
    }

    public func read(
        _ messages: [RemoteMessageID], feed: FeedID
    ) async throws(AccountError) -> [RemoteMessage] {
        throw .unsupported("reading older mail")
    }

    public func scripts() async throws(AccountError) -> RemoteScripts? { nil }

    public func script(named name: String) async throws(AccountError) -> String {
        throw .unsupported("scripts at the service")
    }

    public func putScript(_ text: String, named name: String) async throws(AccountError) {
        throw .unsupported("scripts at the service")
    }

    public func activateScript(named name: String?) async throws(AccountError) {
        throw .unsupported("scripts at the service")
    }

    public func deleteScript(named name: String) async throws(AccountError) {
        throw .unsupported("scripts at the service")
    }

    public func vacation() async throws(AccountError) -> RemoteVacation {
        throw .unsupported("vacation replies of the service")
    }

    public func setVacation(_ vacation: RemoteVacation) async throws(AccountError) {
        throw .unsupported("vacation replies of the service")
    }

    public func quotas() async throws(AccountError) -> [AccountQuota] { [] }

    public func jmapSessionURL() async throws(AccountError) -> URL? { nil }
}

/// What an account can do besides reading mail. The kernel and the page leave out anything an account does
/// not support.
public struct AccountFeatures: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `watch` reports changes as they happen.
    public static let push = AccountFeatures(rawValue: 1)
    /// A message can be in several mailboxes. Without it, adding a message to another mailbox makes a copy.
    public static let labels = AccountFeatures(rawValue: 2)
    /// `submit` delivers messages. Without it, the account can only receive.
    public static let submission = AccountFeatures(rawValue: 4)
    /// The service saves a copy of each sent message in Sent. Without it, the kernel appends the copy.
    public static let savesSentCopies = AccountFeatures(rawValue: 8)
    /// `append` replaces a message in one step.
    public static let replacesAtomically = AccountFeatures(rawValue: 16)
    /// Mailboxes can be created, renamed and deleted.
    public static let mailboxChanges = AccountFeatures(rawValue: 32)
    /// The service keeps keywords that the user invents.
    public static let keywords = AccountFeatures(rawValue: 64)
    /// `search` finds messages that are not on this device.
    public static let serverSearch = AccountFeatures(rawValue: 128)
    /// The account's mail is on this device only: nothing to sync, never offline, and deleted with the
    /// account, which the page says before the user removes it.
    public static let local = AccountFeatures(rawValue: 256)
    /// `importMessages` adds mail from files.
    public static let imports = AccountFeatures(rawValue: 512)
    /// `read` reads messages that `search` found, however old they are. Only together with `.serverSearch`.
    public static let olderMail = AccountFeatures(rawValue: 1024)
    /// `vacation` and `setVacation` read and set a reply that the service sends by itself.
    public static let vacation = AccountFeatures(rawValue: 2048)
}

/// The messages of one feed that the kernel holds.
public protocol KnownMessages: Sendable {
    /// The held ids that sort after `after` as text, in that order, at most `limit`. Pass nil for the first
    /// page.
    func ids(after: RemoteMessageID?, limit: Int) async throws -> [RemoteMessageID]

    /// The subset of these ids that the kernel holds.
    func contains(_ ids: [RemoteMessageID]) async throws -> Set<RemoteMessageID>
}

/// Why a call to an account failed. Each case says what the kernel does and what the user sees.
public enum AccountError: Error, Hashable, Codable {
    /// There is no network. The page shows a banner, and everything waits.
    case offline
    /// The service does not answer. The kernel retries with growing pauses.
    case unreachable(host: String, reason: String)
    /// There is no verified TLS connection. The user sees which host and why, and nothing is sent there.
    case insecure(host: String, reason: String)
    /// The sign-in is no longer valid: the account asks to re-authenticate.
    case authenticationRequired(reason: String)
    /// The user refused access at the service.
    case denied
    /// Too many requests. The kernel tries nothing before `until`; nil lets it choose a pause.
    case throttled(until: Date?)
    /// The server refused this request. The text is the server's own, and the user sees it.
    case refused(String)
    /// The mailbox or message is gone. The user sees that if they asked for it; sync continues without it.
    case notFound
    /// The cursor is no longer valid. The kernel reads the feed from the beginning, and the user sees
    /// nothing.
    case cursorExpired
    /// The server sent a response that the protocol does not allow. The text goes to the log; the user sees
    /// that the service sent an invalid response.
    case badAnswer(String)
    /// The service or this provider cannot do this. The text names the action, as in "sending mail", and the
    /// user sees it if they asked for it.
    case unsupported(String)
    /// The user entered something that cannot be right: the `FormField.name` and what is wrong with the
    /// value. The page shows the reason at that field.
    case invalid(field: String, reason: String)
    /// The secret store cannot be used. The page asks the user to unlock it, or says why it is missing.
    case secrets(SecretError)
    /// The task was canceled. The user sees nothing.
    case cancelled
    /// A sink, source or `KnownMessages` that was passed in threw, or the plugin's own folder cannot be used.
    /// The user sees the reason, for example that the disk is full.
    case local(reason: String)
}
