import FoundationEssentials
import MailKernelAPI
import Store

/// A change that the user made to mail, such as archiving, moving or starring. It can be undone for 30 days, also
/// after a restart.
///
///     running ──→ done ──→ undoing ──→ undone
///        └────────────────────↑
package struct MailAction: Codable, Sendable, Hashable {
    package enum State: String, Codable, Sendable {
        /// Some steps are not done yet.
        case running
        case done
        /// Some steps are not undone yet.
        case undoing
        case undone
    }

    package var id: Id<MailAction>
    package var accountID: Id<Account>
    package var verb: MailVerb
    /// The name of the client that requested it.
    package var client: String
    package var createdAt: Date
    package var state: State
    /// The number of its conversations or messages, and how many of them are done.
    package var total: Int
    package var done: Int
    /// The messages that it changed.
    package var changed: Int
    /// The messages that it did not change because of the rights of a mailbox, and the first reason.
    package var refused: Int
    package var refusal: String?
    /// The messages that could not be restored, because they were changed again or deleted since.
    package var kept: Int

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

    package static let dataType = DataType.documents(collection)
    static let collection = "mail-action"
    /// The client of actions that the program performs by itself.
    static let automatic = "automatic"
    /// How long an action can be undone.
    static let lifetime = 30 * 86_400.0

    /// A running action can be stopped before it has changed anything.
    package var mayBeUndone: Bool {
        verb != .destroy && (state == .running || state == .done && changed > 0)
    }

    /// The same, done with so many messages.
    func counting(_ count: Int) -> MailAction {
        var action = self
        (action.total, action.done, action.changed, action.state) = (count, count, count, .done)
        return action
    }

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
