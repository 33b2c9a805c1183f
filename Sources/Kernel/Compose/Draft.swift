public import FoundationEssentials
public import MailKernelAPI

/// The content of a draft.
public struct DraftContent: Codable, Sendable, Hashable {
    public enum Mode: String, Codable, Sendable, CaseIterable {
        case new, reply, replyAll, forward
    }

    public var identityID: Id<Identity>
    public var mode: Mode
    /// The email that is answered or passed on.
    public var sourceEmailID: Id<Email>?
    /// As typed, including invalid addresses.
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var subject: String
    /// Plain text with `**bold**`, `*italic*` and `[text](url)`.
    public var body: String
    public var inReplyTo: [String]
    public var references: [String]
    public var attachments: [DraftAttachment]

    public init(
        identityID: Id<Identity>, mode: Mode = .new, sourceEmailID: Id<Email>? = nil,
        to: [EmailAddress] = [], cc: [EmailAddress] = [], bcc: [EmailAddress] = [], subject: String = "",
        body: String = "", inReplyTo: [String] = [], references: [String] = [],
        attachments: [DraftAttachment] = []
    ) {
        self.identityID = identityID
        self.mode = mode
        self.sourceEmailID = sourceEmailID
        self.to = to
        self.cc = cc
        self.bcc = bcc
        self.subject = subject
        self.body = body
        self.inReplyTo = inReplyTo
        self.references = references
        self.attachments = attachments
    }

    public var recipients: [EmailAddress] { to + cc + bcc }

    /// Nothing that would be missed.
    public var isEmpty: Bool {
        recipients.allSatisfy { $0.email.allSatisfy(\.isWhitespace) } && subject.allSatisfy(\.isWhitespace)
            && body.allSatisfy(\.isWhitespace) && attachments.isEmpty
    }
}

/// A file of a draft.
public struct DraftAttachment: Codable, Sendable, Hashable {
    /// Where its bytes come from: an upload, or a part of an email.
    public var blobID: Id<Blob>
    public var name: String?
    public var type: String
    public var size: Int
    /// The draft's own bytes, which nothing takes away. Nil until they were fetched.
    public var keptAs: Id<Blob>?
    /// Why they could not be fetched.
    public var problem: String?

    public init(blobID: Id<Blob>, name: String?, type: String, size: Int) {
        self.blobID = blobID
        self.name = name
        self.type = type
        self.size = size
    }

    /// The bytes are still with the service.
    public var isPending: Bool { keptAs == nil }
}

/// A draft as it is kept. Its id stays, while the email that shows it in Drafts is replaced.
public struct Draft: Codable, Sendable, Hashable {
    public static let dataType = DataType.documents(collection)
    static let collection = "draft"
    /// A draft gets a new email with each version; a list is not older than a few of them.
    private static let mostFormer = 64

    public let id: Id<Draft>
    public let accountID: Id<Account>
    public var content: DraftContent
    public var savedAt: Date
    /// The email that shows it in Drafts; nil until there is one.
    public var emailID: Id<Email>? {
        didSet {
            guard let oldValue, oldValue != emailID else { return }
            formerEmailIDs = Array(((formerEmailIDs ?? []) + [oldValue]).suffix(Self.mostFormer))
        }
    }
    /// The emails that showed it before: a list on the screen may still name one of them.
    private(set) var formerEmailIDs: [Id<Email>]?
    /// It was changed elsewhere while it was written on here: the other version.
    public var conflict: Id<Email>?
    /// The submission that sends it; until it ends, the draft cannot be changed.
    public var submissionID: Id<EmailSubmission>?
    /// Why it could not be sent the last time, as a sentence for the user with the server's words.
    public var failure: String?
    /// Counts the times that it was saved.
    var version = 1
    /// The version that the email shows.
    var shownVersion = 0

    init(id: Id<Draft>, accountID: Id<Account>, content: DraftContent, savedAt: Date) {
        self.id = id
        self.accountID = accountID
        self.content = content
        self.savedAt = savedAt
    }

    static func key(_ id: Id<Draft>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }

    var key: DocumentKey { Self.key(id, accountID) }

    /// Whether the email shows it, or showed it once.
    func isShown(by emailID: Id<Email>) -> Bool {
        self.emailID == emailID || formerEmailIDs?.contains(emailID) == true
    }

    func change() throws -> StorageChange {
        .putDocument(Document(key, value: try JSONValue(encoding: self)))
    }
}
