public import FoundationEssentials

/// A sender that the user can choose (RFC 8621, section 6).
public struct Identity: Sendable, Hashable, Codable {
    /// Made by the kernel; never changes.
    public var id: Id<Identity>
    /// The account that sends its messages.
    public var accountID: Id<Account>
    /// The sender's name in From; empty for none.
    public var name: String
    /// The sender's address in From.
    public var email: String
    /// Where answers go instead of `email`; empty for none.
    public var replyTo: [EmailAddress]
    /// Addresses that new messages start with in Bcc.
    public var bcc: [EmailAddress]
    /// The signature for plain text; empty for none.
    public var textSignature: String
    /// The signature for HTML; empty for none.
    public var htmlSignature: String
    /// Whether the user may delete it. False for those that came with the account.
    public var mayDelete: Bool

    public init(
        id: Id<Identity>, accountID: Id<Account>, name: String, email: String,
        replyTo: [EmailAddress] = [], bcc: [EmailAddress] = [], textSignature: String = "",
        htmlSignature: String = "", mayDelete: Bool = false
    ) {
        self.id = id
        self.accountID = accountID
        self.name = name
        self.email = email
        self.replyTo = replyTo
        self.bcc = bcc
        self.textSignature = textSignature
        self.htmlSignature = htmlSignature
        self.mayDelete = mayDelete
    }
}

/// The sender and recipients that the server uses for delivery, whatever the header says.
public struct Envelope: Sendable, Hashable, Codable {
    /// The address for delivery reports, without name and angle brackets.
    public var mailFrom: String
    /// The addresses to deliver to, Bcc included, without names and angle brackets. On a retry, only those
    /// still waiting. Never empty.
    public var rcptTo: [String]
    /// When the service is to deliver the message; nil for at once. Set only within `AccountSession.holdLimits()`. A
    /// service that cannot hold it refuses it.
    public var holdUntil: Date?

    public init(mailFrom: String, rcptTo: [String], holdUntil: Date? = nil) {
        self.mailFrom = mailFrom
        self.rcptTo = rcptTo
        self.holdUntil = holdUntil
    }
}

/// A message in the outbox (RFC 8621, section 7). The kernel makes and changes it; a store keeps it.
public struct EmailSubmission: Sendable, Hashable, Codable {
    /// Whether sending can still be canceled.
    public enum UndoStatus: String, Sendable, Codable {
        /// The undo delay is running.
        case pending
        /// The undo delay is over; the message is on its way.
        case final
        /// The user canceled it. It is never sent.
        case canceled
    }

    /// How far sending has come; `sendState` in the vendor's JMAP properties.
    public enum SendState: String, Sendable, Codable {
        /// Canceled: nothing to send.
        case none
        /// Waiting for the end of the undo delay, for the next try, or for the account to sign in.
        case queued
        /// A try is under way, or was when the program ended.
        case sending
        /// The kernel has given up; `failure` says why. The user can send it again.
        case failed
        /// The server has accepted the message.
        case sent
    }

    /// Made by the kernel; never changes.
    public var id: Id<EmailSubmission>
    /// The account that sends it.
    public var accountID: Id<Account>
    /// The sender that the user chose.
    public var identityID: Id<Identity>
    /// The draft that it was made from. It may be gone by now.
    public var emailID: Id<Email>
    /// The draft's thread when it was submitted; nil if unknown.
    public var threadID: Id<EmailThread>?
    /// The message as submitted, without Bcc. This is sent, whatever happens to the draft. The kernel removes
    /// the blob when the message is sent or canceled.
    public var snapshotBlobID: Id<Blob>
    /// All recipients, those that have already accepted included.
    public var envelope: Envelope
    /// When the undo delay ends.
    public var sendAt: Date
    /// Whether sending can still be canceled.
    public var undoStatus: UndoStatus
    /// How far sending has come.
    public var sendState: SendState
    /// Whether a try has begun whose result is unknown. The kernel then looks for the message before another
    /// try.
    public var mayHaveBeenSent: Bool
    /// When the user pressed Send, last if more than once. The kernel gives up 24 hours later.
    public var queuedAt: Date
    /// Tries since `queuedAt`.
    public var tries: Int
    /// When to try again; nil if no pause is needed.
    public var nextTryAt: Date?
    /// The latest result per address of `Envelope.rcptTo`. Addresses that were not tried yet are missing.
    public var deliveryStatus: [String: DeliveryStatus]
    /// The latest problem, as a sentence for the user; nil if there is none.
    public var failure: String?

    public init(
        id: Id<EmailSubmission>, accountID: Id<Account>, identityID: Id<Identity>, emailID: Id<Email>,
        threadID: Id<EmailThread>? = nil, snapshotBlobID: Id<Blob>, envelope: Envelope, sendAt: Date,
        undoStatus: UndoStatus = .pending, sendState: SendState = .queued, mayHaveBeenSent: Bool = false,
        queuedAt: Date, tries: Int = 0, nextTryAt: Date? = nil,
        deliveryStatus: [String: DeliveryStatus] = [:], failure: String? = nil
    ) {
        self.id = id
        self.accountID = accountID
        self.identityID = identityID
        self.emailID = emailID
        self.threadID = threadID
        self.snapshotBlobID = snapshotBlobID
        self.envelope = envelope
        self.sendAt = sendAt
        self.undoStatus = undoStatus
        self.sendState = sendState
        self.mayHaveBeenSent = mayHaveBeenSent
        self.queuedAt = queuedAt
        self.tries = tries
        self.nextTryAt = nextTryAt
        self.deliveryStatus = deliveryStatus
        self.failure = failure
    }
}

/// The result for one recipient (RFC 8621, section 7).
public struct DeliveryStatus: Sendable, Hashable, Codable {
    /// Whether the message has reached the recipient.
    public enum Delivered: String, Sendable, Codable {
        /// Not accepted yet; the kernel tries again.
        case queued
        /// Delivered for certain.
        case yes
        /// Refused for good.
        case no
        /// Accepted by the server, which does not report what follows.
        case unknown
    }

    /// The server's reply with its codes, on one line.
    public var smtpReply: String
    /// The result so far.
    public var delivered: Delivered

    public init(smtpReply: String, delivered: Delivered) {
        self.smtpReply = smtpReply
        self.delivered = delivered
    }
}
