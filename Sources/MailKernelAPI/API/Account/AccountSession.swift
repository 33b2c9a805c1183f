public import FoundationEssentials

/// The way to one account's mail.
///
/// The kernel calls a session from several tasks at once: it reads changes of several feeds, fetches
/// a part and watches at the same time. How many connections that takes is the session's business
/// (at most five), and so is connecting, signing in and reconnecting: an expired session of the
/// server is normal life and not an error.
///
/// Nothing is retried here that the user could notice: the kernel has the one policy for retries.
public protocol AccountSession: Sendable {
    /// What this account can do. Asked after `mailboxes()` has succeeded once.
    var features: AccountFeatures { get async }

    /// All mailboxes, parents before their children, and the feeds that their mail is read from.
    ///
    /// Containers that hold every message again, such as Gmail's All Mail, are feeds and not
    /// mailboxes.
    func mailboxes() async throws(AccountError) -> MailboxListing

    /// The next batch of changes of a feed.
    ///
    /// The kernel stores a batch and its cursor together, and asks again with that cursor while
    /// `hasMore` is set; killed in between it asks again with the last cursor it stored. So a batch
    /// may come twice, and must then mean the same. New messages come newest first.
    ///
    /// - Parameters:
    ///   - cursor: the cursor of the last batch that was stored; nil to begin anew.
    ///   - since: messages received earlier are not wanted; nil for all.
    ///   - known: what the kernel holds of this feed, for finding what is gone. Where a feed is begun anew, what is
    ///     held may come as updates that say how it is now, so that it is not transferred once more.
    /// - Throws: `.cursorExpired` if the feed must be begun anew (an IMAP server changed its
    ///   UIDVALIDITY, or the cursor is not one that this version understands). `.notFound` if the
    ///   feed is gone. Other feeds go on either way.
    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch

    /// Fetches one part of a message, decoded, or the whole message if `partID` is nil, byte for byte.
    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError)

    /// Carries out changes that the user made, in their order. One outcome per mutation, in the same
    /// order; after the first that could not even be tried (no connection), the rest are `.notTried`.
    ///
    /// Carrying out the same mutation again after an interruption changes nothing more, and what is
    /// already as it should be is `.done`: a message to be destroyed that is gone, a mailbox to be
    /// made that is there, one to be deleted that is not. A mutation that the service refuses does
    /// not keep those after it from being carried out.
    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome]

    /// Adds a message to a mailbox and returns its id where the server tells.
    ///
    /// With `replacing`, the earlier message is gone when this returns, without a trace in Trash:
    /// in one step if `.replacesAtomically`, else the new one is added before the old one is removed.
    /// If it is gone already, the new one is added all the same.
    ///
    /// - Throws: `.notFound` if there is no such mailbox. When it throws, the earlier message is
    ///   still there.
    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome

    /// Adds many messages at once, as an import does. One outcome per message, in the same order.
    ///
    /// A message whose bytes the account has already is not added again: it is put into those of the
    /// mailboxes that it is not in yet, and keeps its keywords and date. So a batch that was
    /// interrupted can be given once more, and one with the same message twice adds it once.
    ///
    /// All that the outcomes say is durable when this returns. A message that cannot be read or is
    /// refused does not keep the others from being added. The kernel gives at most 1,000 messages and
    /// 32 MiB at once, or one message that is larger.
    ///
    /// - Throws: if the rest of the batch could not even be tried (no connection, a full disk). Some
    ///   of the messages may have been added; none is there in part. `.unsupported` by default, and
    ///   where `.imports` is not among the features.
    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome]

    /// Hands a message over for delivery.
    ///
    /// Throws only if nothing was handed over for certain, so that trying again cannot send twice;
    /// else the outcome says what is known.
    ///
    /// - Throws: `.unsupported` where `.submission` is not among the features.
    func submit(_ message: any ByteSource, envelope: Envelope) async throws(AccountError) -> SMTPOutcome

    /// Looks for a message by its Message-ID where sent mail is kept, on the server.
    func findSent(messageID: String) async throws(AccountError) -> Bool

    /// Tells when something has changed, until the task that reads the stream is cancelled or the
    /// connection is lost, which ends the stream with an error; the kernel then watches anew.
    ///
    /// By default the stream ends at once: the kernel asks at intervals, as the absence of `.push`
    /// says.
    func watch() -> AsyncThrowingStream<WatchEvent, any Error>

    /// Searches on the server, for mail that is not on this machine. Newest first.
    ///
    /// - Throws: `.unsupported` by default; ask only where `.serverSearch` is among the features.
    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress]

    /// Closes every connection. The session is not used afterwards.
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
    ) async throws(AccountError) -> SMTPOutcome {
        throw .unsupported("sending mail")
    }

    public func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    public func search(
        _ filter: EmailFilter, limit: Int
    ) async throws(AccountError) -> [RemoteAddress] {
        throw .unsupported("searching on the server")
    }
}

/// What an account can do beyond reading mail. "Not supported" is an answer.
public struct AccountFeatures: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `watch` tells of changes as they happen.
    public static let push = AccountFeatures(rawValue: 1)
    /// One message can be in several mailboxes.
    public static let labels = AccountFeatures(rawValue: 2)
    /// Messages can be handed over for delivery.
    public static let submission = AccountFeatures(rawValue: 4)
    /// The service puts a copy of what is sent into Sent by itself.
    public static let savesSentCopies = AccountFeatures(rawValue: 8)
    /// `append` replaces a message in one step.
    public static let replacesAtomically = AccountFeatures(rawValue: 16)
    /// Mailboxes can be created, renamed and deleted.
    public static let mailboxChanges = AccountFeatures(rawValue: 32)
    /// The user's own keywords are kept.
    public static let keywords = AccountFeatures(rawValue: 64)
    public static let serverSearch = AccountFeatures(rawValue: 128)
    /// The mail lives on this machine only: nothing to sync, never offline, and gone with the account,
    /// which the user is told before it is removed.
    public static let local = AccountFeatures(rawValue: 256)
    /// `importMessages` takes mail from files.
    public static let imports = AccountFeatures(rawValue: 512)
}

/// What the kernel holds of a feed.
public protocol KnownMessages: Sendable {
    /// The ids that are held, in the order of their text, those after `after`, at most `limit`.
    func ids(after: RemoteMessageID?, limit: Int) async throws -> [RemoteMessageID]

    /// Which of these are held.
    func contains(_ ids: [RemoteMessageID]) async throws -> Set<RemoteMessageID>
}

public enum AccountError: Error, Hashable, Codable {
    /// No network. The banner says so, and everything waits.
    case offline
    /// The service does not answer; tried again with growing pauses.
    case unreachable(host: String, reason: String)
    /// No verified TLS. The user is told which host and why, and nothing is sent there.
    case insecure(host: String, reason: String)
    /// The sign-in is no longer valid: the account asks to re-authenticate.
    case authenticationRequired(reason: String)
    /// The user refused, at the service.
    case denied
    /// Too much at once; nothing is tried before `until`.
    case throttled(until: Date?)
    /// The server refused this one thing, in its own words, which the user sees.
    case refused(String)
    /// The mailbox or message is gone. The user is told so if they asked for it; sync passes it by.
    case notFound
    /// Nobody sees this: the feed is read anew.
    case cursorExpired
    /// The answer was not what the protocol allows. For the log; the user sees that the service
    /// answered in a way that was not understood.
    case badAnswer(String)
    /// The service, or this provider, cannot do this: the words name what, as in "sending mail". The
    /// user sees them if they asked for it.
    case unsupported(String)
    /// What the user entered cannot be right: the field's name and what is wrong with it.
    case invalid(field: String, reason: String)
    /// The secret store could not be used. The user is asked to unlock it, or told why it is not there.
    case secrets(SecretError)
    /// The task was cancelled. Nobody sees it.
    case cancelled
    /// A sink, source or `KnownMessages` that was passed in threw, or the plugin's own folder could not
    /// be used. The user sees what there is to say, such as that the disk is full.
    case local(reason: String)
}
