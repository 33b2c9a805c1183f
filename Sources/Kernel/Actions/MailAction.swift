public import FoundationEssentials
public import MailKernelAPI

/// Something done to mail, as the user meant it: archived, moved, starred. It is kept for 30 days and can be undone in
/// that time, also after a restart.
///
///     running ──→ done ──→ undoing ──→ undone
///        └────────────────────↑
public struct MailAction: Codable, Sendable, Hashable {
    public enum State: String, Codable, Sendable {
        /// Some of it is still to be done.
        case running
        case done
        /// Some of it is still to be undone.
        case undoing
        case undone
    }

    public var id: Id<MailAction>
    public var accountID: Id<Account>
    public var verb: MailVerb
    /// The client that asked for it, by name.
    public var client: String
    public var createdAt: Date
    public var state: State
    /// Conversations or messages that it is about, and how many of them are done.
    public var total: Int
    public var done: Int
    /// Messages that it changed.
    public var changed: Int
    /// Messages that it left as they were because the rights of a mailbox forbid it, and the first reason.
    public var refused: Int
    public var refusal: String?
    /// Messages that could not be put back, because they were changed again or deleted since.
    public var kept: Int

    init(
        id: Id<MailAction>, accountID: Id<Account>, verb: MailVerb, client: String, createdAt: Date,
        total: Int
    ) {
        self.id = id
        self.accountID = accountID
        self.verb = verb
        self.client = client
        self.createdAt = createdAt
        self.total = total
        (state, done, changed, refused, kept) = (.running, 0, 0, 0, 0)
    }

    public static let dataType = DataType.documents(collection)
    static let collection = "mail-action"
    /// How long it can be undone.
    static let lifetime = 30 * 86_400.0

    public var mayBeUndone: Bool { verb != .destroy && changed > 0 && (state == .running || state == .done) }

    var key: DocumentKey { DocumentKey(Self.collection, id.rawValue, accountID: accountID) }

    func change() throws -> StorageChange {
        .putDocument(Document(key, value: try JSONValue(encoding: self)))
    }
}

extension MailAction {
    var reasonAgainstUndo: String {
        switch state {
        case .undoing: "This action is being undone."
        case .undone: "This action was already undone."
        case .running, .done:
            verb == .destroy ? "Deleted messages cannot be brought back." : "This action changed nothing."
        }
    }
}
