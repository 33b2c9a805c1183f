import FoundationEssentials
import MailKernelAPI
import Store

/// What a step of an action does to reminders.
struct ReminderPlan {
    private(set) var changes: [ReminderChange] = []
    private(set) var refusals: [String] = []
    private let replies: Replies
    private let now: Date
    private let existing: [Reminder]
    private var count: Int

    init(in accountID: Id<Account>, _ places: Places, _ store: MailStore, now: Date) async throws {
        replies = try await Replies(in: accountID, places, store)
        existing = try await Reminder.all(in: accountID, store)
        count = existing.count
        self.now = now
    }

    /// - Parameters:
    ///   - emails: those of a conversation, oldest first, or one of them.
    ///   - until: nil to remove its reminders.
    mutating func plan(_ emails: [Email], until: Date?) async throws {
        let ids = Set(emails.map(\.id))
        let before = existing.filter { $0.emailID.map(ids.contains) ?? false }
        guard let until else {
            changes += before.map { ReminderChange(id: $0.id, before: $0, after: nil) }
            count -= before.count
            return
        }
        guard !before.isEmpty || count < Reminder.most else {
            refusals.append(Reminder.tooMany)
            return
        }
        guard let after = try await reminder(emails, before, until) else { return }
        changes += before.filter { $0.id != after.id }.map {
            ReminderChange(id: $0.id, before: $0, after: nil)
        }
        let same = before.first { $0.id == after.id }
        changes.append(ReminderChange(id: after.id, before: same, after: after))
        count += 1 - before.count
    }

    /// That of the newest message that the user sent or is sending.
    private mutating func reminder(
        _ emails: [Email], _ before: [Reminder], _ until: Date
    ) async throws -> Reminder? {
        let all = Conversation(emails: emails, mailboxID: nil, places: replies.places)
        for email in emails.reversed()
        where replies.isOwn(email) && !email.keywords.contains(.draft) && !all.isIn(email, [.trash, .junk]) {
            if var known = before.first(where: { $0.emailID == email.id }) {
                (known.until, known.chosenAt, known.returned) = (until, now, nil)
                return known
            }
            if let submission = try await submission(of: email) {
                return Reminder(of: submission, until: until, chosenAt: now)
            }
            guard !all.isIn(email, [.drafts]) else { continue }
            if try await replies.isThereOne(
                to: email, sentAt: email.receivedAt, in: try await conversation(of: email))
            {
                refusals.append("There is already a reply.")
                return nil
            }
            return Reminder(of: email, until: until, chosenAt: now)
        }
        refusals.append("You have not sent a message in this conversation.")
        return nil
    }

    private func submission(of email: Email) async throws(StorageError) -> EmailSubmission? {
        try await replies.store.read.submissions(nil, in: email.accountID).first {
            $0.emailID == email.id && ($0.sendState == .queued || $0.sendState == .sending)
        }
    }

    private func conversation(of email: Email) async throws(StorageError) -> [Email] {
        let store = replies.store
        let stored = try await store.read.emails([email.id], in: email.accountID).first
        guard let threadID = stored?.threadID else { return [] }
        let ids = try await store.read.threads([threadID], in: email.accountID).flatMap(\.emailIDs)
        return try await store.read.emails(ids, in: email.accountID).map(\.email)
    }
}
