import FoundationEssentials
import MailKernelAPI
import Store

/// Looks at an account's reminders: ends those that have a reply or no message any more, and returns the conversations
/// that are due. All in one commit, so that each happens once.
struct Reminding {
    let accountID: Id<Account>
    /// The view of the store for looking after the account.
    let store: MailStore
    let mail: MailActions
    let now: Date

    /// Where messages are is not known for certain while changes are on their way to the service.
    private static let untilAtRest = 4.0

    /// - Returns: when to look again, and whether there are any.
    func remind() async throws -> (next: Date?, isWaiting: Bool) {
        while true {
            guard try await !Reminder.all(in: accountID, store).isEmpty else { return (nil, false) }
            let states = try await states()
            let reminders = try await Reminder.all(in: accountID, store)
            let look = ReminderLook(
                store: store, replies: try await replies(), now: now, isAtRest: try await isAtRest)
            var changes: [StorageChange] = []
            var updates: [EmailUpdate] = []
            var next: Date?
            for reminder in reminders {
                let outcome = try await look.look(at: reminder)
                if let again = outcome.next(reminder, now, Self.untilAtRest) {
                    next = min(next ?? again, again)
                }
                switch outcome {
                case .stays, .unsure: break
                case .changes(let known): changes.append(try known.change())
                case .ends: changes.append(.destroyDocument(reminder.key))
                case .returns(let returned, let update):
                    changes.append(try returned.change())
                    updates.append(update)
                }
            }
            guard !changes.isEmpty else { return (next, true) }
            do {
                try await mail.with(store.expecting(states)).update(updates, in: accountID, with: changes)
                return (next, true)
            } catch StorageError.stateMismatch {
                try Task.checkCancellation()
            }
        }
    }

    private var isAtRest: Bool {
        get async throws {
            let queue = PendingChanges(store: store, accountID: accountID)
            guard try await queue.all().isEmpty else { return false }
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
