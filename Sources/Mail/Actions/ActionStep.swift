import MailKernelAPI
import Store

/// A part of an action that is done in one commit. It contains the target at first, and the changes afterward.
struct ActionStep: Codable, Sendable {
    enum Work: Sendable {
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
        try await few(of: action, after: number, limit: 1, store).first
    }

    /// The first step after the one with this number, and whether it is the last one; nil if there is none.
    static func first(
        of action: MailAction, after number: Int, _ store: MailStore
    ) async throws(StorageError) -> (step: ActionStep, isLast: Bool)? {
        let steps = try await few(of: action, after: number, limit: 2, store)
        return steps.first.map { ($0, steps.count == 1) }
    }

    private static func few(
        of action: MailAction, after number: Int, limit: Int, _ store: MailStore
    ) async throws(StorageError) -> [ActionStep] {
        let before = key(of: action.id, in: action.accountID, number).name
        let found = try await store.read.documents(
            in: collection, accountID: action.accountID, after: before, limit: limit)
        let steps = found.map { $0.read(as: ActionStep.self) }.prefix { $0?.actionID == action.id }
        return steps.compactMap { $0 }
    }
}

extension ActionStep.Work: Codable {
    /// How it is stored.
    private enum Stored: Codable {
        case planned(StepTarget)
        case done([EmailUpdate])
        case doneAlike([UpdateGroup])
    }

    init(from decoder: any Decoder) throws {
        self =
            switch try Stored(from: decoder) {
            case .planned(let target): .planned(target)
            case .done(let updates): .done(updates)
            case .doneAlike(let groups): .done(groups.flatMap(\.updates))
            }
    }

    func encode(to encoder: any Encoder) throws {
        let stored: Stored =
            switch self {
            case .planned(let target): .planned(target)
            case .done(let updates): UpdateGroup.all(updates).map { .doneAlike($0) } ?? .done(updates)
            }
        try stored.encode(to: encoder)
    }
}
