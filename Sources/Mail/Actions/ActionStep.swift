import MailKernelAPI
import Store

/// A part of an action that is done in one commit. It contains the target at first, and the changes afterward.
struct ActionStep: Codable, Sendable {
    enum Work: Codable, Sendable {
        case planned(StepTarget)
        /// The changes made, which can be undone from this record.
        case done([EmailUpdate])
    }

    let actionID: Id<MailAction>
    let accountID: Id<Account>
    let number: Int
    var work: Work
    /// What it did to snoozes; nil for nothing.
    var snoozes: [SnoozeChange]?
    /// What it did to reminders; nil for nothing.
    var reminders: [ReminderChange]?

    private static let collection = "mail-action-step"

    var key: DocumentKey { Self.key(of: actionID, in: accountID, number) }

    func change() throws -> StorageChange {
        .putDocument(Document(key, value: try JSONValue(encoding: self)))
    }

    private static func key(
        of actionID: Id<MailAction>, in accountID: Id<Account>, _ number: Int
    ) -> DocumentKey {
        let digits = String(number)
        let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return DocumentKey(collection, "\(actionID.rawValue)-\(name)", accountID: accountID)
    }

    /// The next step of an action after the one with this number, or nil if there is none.
    static func next(
        of action: MailAction, after number: Int, _ store: MailStore
    ) async throws(StorageError) -> ActionStep? {
        let before = key(of: action.id, in: action.accountID, number).name
        let found = try await store.read.documents(
            in: collection, accountID: action.accountID, after: before, limit: 1)
        guard let step = found.first?.read(as: ActionStep.self), step.actionID == action.id else {
            return nil
        }
        return step
    }
}
