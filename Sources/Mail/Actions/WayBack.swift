import MailKernelAPI
import Store

/// Restores emails to their state before a step.
struct WayBack: Sendable {
    private(set) var updates: [EmailUpdate] = []
    private(set) var snoozes: [SnoozeChange] = []
    private(set) var reminders: [ReminderChange] = []
    private(set) var kept = 0

    init(
        _ done: [EmailUpdate], _ step: ActionStep, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) {
        let mailboxes = Set(try await store.read.mailboxes(nil, in: accountID).map(\.mailbox.id))
        let emails = try await store.manyEmails(done.map(\.id), in: accountID).map(\.email)
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        for change in done {
            guard let email = byID[change.id], email.isStill(as: change, mailboxes) else {
                kept += 1
                continue
            }
            updates.append(change.inverse(on: email))
        }
        try await restore(step.reminders ?? [], in: accountID, store)
        let snoozed = step.snoozes ?? []
        guard !snoozed.isEmpty else { return }
        let now = try await Snooze.known(of: snoozed.map(\.emailID), in: accountID, store)
        let (changed, restored) = (Set(done.map(\.id)), Set(updates.map(\.id)))
        for change in snoozed {
            // A message that returned since, or was moved on, has no time to restore.
            let isRestored = restored.contains(change.emailID) || !changed.contains(change.emailID)
            if isRestored, now[change.emailID] == change.after {
                snoozes.append(change.inverse)
            } else if !changed.contains(change.emailID) {
                kept += 1
            }
        }
    }

    private mutating func restore(
        _ changes: [ReminderChange], in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) {
        guard !changes.isEmpty else { return }
        let now = try await Reminder.all(in: accountID, store)
        for change in changes {
            if let inverse = change.inverse(now: now.first { $0.id == change.id }) {
                reminders.append(inverse)
            } else {
                kept += 1
            }
        }
    }
}

extension Email {
    /// Whether the email is still in the mailboxes that a change moved it to, and can return to its previous ones.
    fileprivate func isStill(as change: EmailUpdate, _ mailboxes: Set<Id<Mailbox>>) -> Bool {
        change.addMailboxes.isSubset(of: mailboxIDs) && change.removeMailboxes.isDisjoint(with: mailboxIDs)
            && change.removeMailboxes.isSubset(of: mailboxes)
    }
}

extension EmailUpdate {
    fileprivate func inverse(on email: Email) -> EmailUpdate {
        EmailUpdate(
            id, in: accountID, addKeywords: removeKeywords.subtracting(email.keywords),
            removeKeywords: addKeywords.intersection(email.keywords), addMailboxes: removeMailboxes,
            removeMailboxes: addMailboxes)
    }
}
