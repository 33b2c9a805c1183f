public import FoundationEssentials

/// Who a message can be from (RFC 8621, section 6).
public struct Identity: Sendable, Hashable, Codable {
    public var id: Id<Identity>
    public var accountID: Id<Account>
    public var name: String
    public var email: String
    public var replyTo: [EmailAddress]
    public var bcc: [EmailAddress]
    public var textSignature: String
    public var htmlSignature: String
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

/// The addresses that a message is really sent from and to.
public struct Envelope: Sendable, Hashable, Codable {
    public var mailFrom: String
    public var rcptTo: [String]

    public init(mailFrom: String, rcptTo: [String]) {
        self.mailFrom = mailFrom
        self.rcptTo = rcptTo
    }
}

/// A message on its way out (RFC 8621, section 7).
public struct EmailSubmission: Sendable, Hashable, Codable {
    public enum UndoStatus: String, Sendable, Codable {
        case pending, final, canceled
    }

    /// How far the sending is; the specification's `sendState`.
    public enum SendState: String, Sendable, Codable {
        case none, queued, sending, failed, sent
    }

    public var id: Id<EmailSubmission>
    public var accountID: Id<Account>
    public var identityID: Id<Identity>
    public var emailID: Id<Email>
    public var threadID: Id<EmailThread>?
    /// The message as it was when it was submitted. It is sent, whatever becomes of the draft.
    public var snapshotBlobID: Id<Blob>
    public var envelope: Envelope
    public var sendAt: Date
    public var undoStatus: UndoStatus
    public var sendState: SendState
    /// Set while the outcome of the last try is unknown: look for the message before another.
    public var mayHaveBeenSent: Bool
    public var queuedAt: Date
    public var tries: Int
    public var nextTryAt: Date?
    /// Per recipient, what became of it.
    public var deliveryStatus: [String: DeliveryStatus]
    /// Why it failed, in words for the user.
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

public struct DeliveryStatus: Sendable, Hashable, Codable {
    public enum Delivered: String, Sendable, Codable {
        case queued, yes, no, unknown
    }

    public var smtpReply: String
    public var delivered: Delivered

    public init(smtpReply: String, delivered: Delivered) {
        self.smtpReply = smtpReply
        self.delivered = delivered
    }
}
