import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The content of a draft.
package struct DraftContent: Codable, Sendable, Hashable {
    package enum Mode: String, Codable, Sendable, CaseIterable {
        case new, reply, replyAll, forward, forwardAsAttachment
    }

    package var identityID: Id<Identity>
    package var mode: Mode
    /// The email that is answered or passed on.
    package var sourceEmailID: Id<Email>?
    /// As typed, including invalid addresses.
    @AsText package var to: [EmailAddress]
    @AsText package var cc: [EmailAddress]
    @AsText package var bcc: [EmailAddress]
    package var subject: String
    /// The text. Of a message with `html` it is made from that.
    package var body: String
    /// What may stand in the body of a page (see `ComposedHTML`); nil for a message of plain text.
    package var html: String?
    package var inReplyTo: [String]
    package var references: [String]
    package var attachments: [DraftAttachment]
    /// The answer to an invitation that goes with the message.
    package var answer: InvitationAnswer?
    /// When the user is reminded if there is no reply to the message.
    package var remindAt: Date?

    package init(
        identityID: Id<Identity>, mode: Mode = .new, sourceEmailID: Id<Email>? = nil,
        to: [EmailAddress] = [], cc: [EmailAddress] = [], bcc: [EmailAddress] = [], subject: String = "",
        body: String = "", html: String? = nil, inReplyTo: [String] = [], references: [String] = [],
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
        self.html = html
        self.inReplyTo = inReplyTo
        self.references = references
        self.attachments = attachments
    }

    package var recipients: [EmailAddress] { to + cc + bcc }

    /// Makes clean HTML the content, and its text the body.
    mutating func write(_ clean: String) {
        html = clean
        body = ComposedText.of(clean)
    }

    /// The content as the message carries it: of the images of the HTML only those that it shows.
    var carried: DraftContent {
        guard attachments.contains(where: \.isInline) else { return self }
        let cids = html.map { ComposedHTML.cids(in: $0) } ?? []
        var content = self
        content.attachments.removeAll { file in file.isInline && !(file.cid.map(cids.contains) ?? false) }
        return content
    }

    /// Whether there is an image in the text.
    var showsImage: Bool { html?.contains("<img ") ?? false }

    /// Whether files that could not be fetched are to be fetched again.
    func asksAgain(after old: DraftContent) -> Bool {
        let failed = Set(old.attachments.filter { $0.problem != nil }.map(\.blobID))
        return attachments.contains { $0.problem == nil && failed.contains($0.blobID) }
    }

    /// Nothing that would be missed.
    package var isEmpty: Bool {
        recipients.allSatisfy { $0.email.allSatisfy(\.isWhitespace) } && subject.allSatisfy(\.isWhitespace)
            && body.allSatisfy(\.isWhitespace) && attachments.isEmpty && !showsImage
    }
}

/// A file of a draft.
package struct DraftAttachment: Codable, Sendable, Hashable {
    /// Where its bytes come from: an upload, or a part of an email.
    package var blobID: Id<Blob>
    package var name: String?
    package var type: String
    package var size: Int
    /// The draft's own bytes, which nothing takes away. Nil until they were fetched.
    package var keptAs: Id<Blob>?
    /// Why they could not be fetched.
    package var problem: String?
    /// The name by which the HTML shows it.
    package var cid: String?
    /// Whether it is there to be shown by the HTML; then it is no file in the list of attachments.
    private var inline: Bool?

    package init(blobID: Id<Blob>, name: String?, type: String, size: Int) {
        self.blobID = blobID
        self.name = name
        self.type = type
        self.size = size
    }

    package var isInline: Bool {
        get { inline ?? false }
        set { inline = newValue ? true : nil }
    }

    /// The bytes are still with the service.
    package var isPending: Bool { keptAs == nil }
}

/// A draft as it is kept. Its id stays, while the email that shows it in Drafts is replaced.
package struct Draft: Codable, Sendable, Hashable {
    package static let dataType = DataType.documents(collection)
    static let collection = "draft"
    /// A draft gets a new email with each version; a list is not older than a few of them.
    private static let mostFormer = 64

    package let id: Id<Draft>
    package let accountID: Id<Account>
    package var content: DraftContent
    package var savedAt: Date
    /// The email that shows it in Drafts; nil until there is one.
    package var emailID: Id<Email>? {
        didSet {
            guard let oldValue, oldValue != emailID else { return }
            formerEmailIDs = Array(((formerEmailIDs ?? []) + [oldValue]).suffix(Self.mostFormer))
        }
    }
    /// The emails that showed it before: a list on the screen may still name one of them.
    private(set) var formerEmailIDs: [Id<Email>]?
    /// It was changed elsewhere while it was written on here: the other version.
    package var conflict: Id<Email>?
    /// The submission that sends it; until it ends, the draft cannot be changed.
    package var submissionID: Id<EmailSubmission>?
    /// Why it could not be sent the last time, as a sentence for the user with the server's words.
    package var failure: String?
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

    package static func key(_ id: Id<Draft>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }

    package var key: DocumentKey { Self.key(id, accountID) }

    /// The draft in a document, without its recipients and text, which may be long; nil if it cannot be read.
    static func outline(_ document: Document) -> Draft? {
        guard var draft = document.value.objectValue, var content = draft["content"]?.objectValue else {
            return nil
        }
        for list in ["to", "cc", "bcc"] { content[list] = [] }
        content["body"] = ""
        content["html"] = nil
        draft["content"] = .object(content)
        return Document(document.key, value: .object(draft)).read(as: Draft.self)
    }

    /// Whether the email shows it, or showed it once.
    func isShown(by emailID: Id<Email>) -> Bool {
        self.emailID == emailID || formerEmailIDs?.contains(emailID) == true
    }

    func change() throws -> StorageChange {
        .putDocument(Document(key, value: try JSONValue(encoding: self)))
    }
}
