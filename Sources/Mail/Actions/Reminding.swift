import FoundationEssentials
import MailKernelAPI
import Store

/// Looks at an account's reminders: ends those that have a reply or no message any more, and returns the conversations
/// that are due. Each in one commit, so that it happens once.
struct Reminding {
    let accountID: Id<Account>
    /// The view of the store for looking after the account.
    let store: MailStore
    let mail: MailActions
    let now: Date
    /// How long to wait for changes that are on their way to the service. Until then it is not known for certain where
    /// messages are.
    let untilAtRest: Double

    /// What was found.
    struct Findings {
        /// When to look again.
        var next: Date?
        /// Whether there are any.
        var isWaiting = false
        /// Whether some are decided only once all changes have reached the service.
        var isUnsure = false

        fileprivate mutating func lookAgain(_ date: Date) { next = min(next ?? date, date) }
    }

    private static let mostAtOnce = 64
    /// When mail changes faster than reminders can be looked at, as in a sync, other work comes first.
    private static let whileMailChanges = 15.0

    /// If mail changes meanwhile, fewer are looked at in one commit; at last it is left for later.
    func remind() async throws -> Findings {
        var findings = Findings()
        guard try await !Reminder.page(after: nil, limit: 1, in: accountID, store).isEmpty else {
            return findings
        }
        findings.isWaiting = true
        var last: String?
        var limit = Self.mostAtOnce
        while true {
            try Task.checkCancellation()
            do {
                let names = try await remind(after: last, limit: limit, &findings)
                guard names.count == limit else { return findings }
                last = names.last
            } catch StorageError.stateMismatch {
                guard limit > 1 else {
                    findings.lookAgain(now + Self.whileMailChanges)
                    return findings
                }
                limit /= 8
            }
        }
    }

    /// Returns the names of those that it has looked at.
    private func remind(
        after last: String?, limit: Int, _ findings: inout Findings
    ) async throws -> [String] {
        let states = try await states()
        let page = try await Reminder.page(after: last, limit: limit, in: accountID, store)
        let look = ReminderLook(
            store: store, replies: try await replies(), now: now, isAtRest: try await isAtRest)
        var changes: [StorageChange] = []
        var updates: [EmailUpdate] = []
        for reminder in page.compactMap({ $0.read(as: Reminder.self) }) {
            let outcome = try await look.look(at: reminder)
            if let again = outcome.next(reminder, now, untilAtRest) { findings.lookAgain(again) }
            switch outcome {
            case .stays: break
            case .unsure: findings.isUnsure = true
            case .changes(let known): changes.append(try known.change())
            case .ends: changes.append(.destroyDocument(reminder.key))
            case .returns(let returned, let update):
                changes.append(try returned.change())
                updates.append(update)
            }
        }
        if !changes.isEmpty {
            try await mail.with(store.expecting(states)).update(updates, in: accountID, with: changes)
        }
        return page.map(\.key.name)
    }

    private var isAtRest: Bool {
        get async throws {
            let queue = PendingChanges(store: store, accountID: accountID)
            guard try await queue.isEmpty else { return false }
            return try await !UnnamedEmails(store: store, accountID: accountID).isAwaitingAny
        }
    }

    private func replies() async throws -> Replies {
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let places = Places(
            mailboxes: Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first },
            hasLabels: try await mail.features(of: accountID).contains(.labels))
        return try await Replies(in: accountID, places, store)
    }

    /// A concurrent change of any of them is looked at again.
    private func states() async throws -> [ChangeSet.Precondition] {
        var all: [ChangeSet.Precondition] = []
        for type in [DataType.email, .submission, Reminder.dataType] {
            all.append(.init(type, in: accountID, is: try await store.read.state(of: type, in: accountID)))
        }
        return all
    }
}

extension ReminderLook.Outcome {
    fileprivate func next(_ reminder: Reminder, _ now: Date, _ pause: Double) -> Date? {
        switch self {
        case .stays: reminder.sentAt != nil && reminder.until > now ? reminder.until : nil
        case .unsure: now + pause
        case .changes(let known): max(known.until, now + pause)
        case .ends, .returns: nil
        }
    }
}
