import FoundationEssentials
import MailKernelAPI
import Store

/// What becomes of a reminder.
struct ReminderLook {
    enum Outcome {
        case stays
        /// It is decided once all changes have reached the service.
        case unsure
        /// Its message was found.
        case changes(Reminder)
        case ends
        case returns(Reminder, EmailUpdate)
    }

    let store: MailStore
    let replies: Replies
    let now: Date
    let isAtRest: Bool

    /// A message that does not arrive from the service within this time after its reminder never does.
    private static let longestSearch = 86_400.0
    private static let mostSearched = 500

    func look(at reminder: Reminder) async throws -> Outcome {
        guard let sentAt = reminder.sentAt else { return try await lookAtSubmission(of: reminder) }
        guard let stored = try await message(of: reminder, sentAt) else {
            // Its email may be replaced by another one just now.
            if reminder.emailID != nil { return isAtRest ? .ends : .unsure }
            return now > reminder.until + Self.longestSearch ? .ends : .stays
        }
        let accountID = reminder.accountID
        let ids = try await store.read.threads([stored.threadID], in: accountID).flatMap(\.emailIDs)
        let thread = try await store.read.emails(ids, in: accountID).map(\.email)
        if try await replies.isThereOne(to: stored.email, sentAt: sentAt, in: thread) { return .ends }
        if reminder.returned != nil { return seen(thread) }
        if reminder.until <= now { return returning(reminder, stored.email, thread) }
        guard reminder.emailID != stored.email.id else { return .stays }
        var known = reminder
        known.emailID = stored.email.id
        return .changes(known)
    }

    /// It begins when the draft of the sent message is taken away, which can be after the next start. The message as it
    /// was sent is kept until then.
    private func lookAtSubmission(of reminder: Reminder) async throws -> Outcome {
        let id = reminder.submissionID ?? Id("")
        let submission = try await store.read.submissions([id], in: reminder.accountID).first
        guard let submission, submission.undoStatus != .canceled else { return .ends }
        switch submission.sendState {
        // The user can send it again.
        case .queued, .sending, .failed: return .stays
        case .none: return .ends
        case .sent:
            let kept = try await store.read.blobInfo(submission.snapshotBlobID, in: reminder.accountID)
            return kept == nil ? .ends : .stays
        }
    }

    /// The message, also if another program moved it or the service made the copy.
    private func message(of reminder: Reminder, _ sentAt: Date) async throws -> StoredEmail? {
        let accountID = reminder.accountID
        if let id = reminder.emailID, let found = try await store.read.emails([id], in: accountID).first {
            return found
        }
        guard let messageID = reminder.messageID else { return nil }
        // A service that holds a message may date its copy to when it was given the message.
        let earliest = min(sentAt, reminder.chosenAt)
        let near = EmailFilter.and([.after(earliest - 86_400), .before(sentAt + 86_400), .notKeyword(.draft)])
        for filter in [.and([.inRole(.sent), near]), near] {
            let query = EmailQuery(in: [accountID], filter: filter, limit: Self.mostSearched)
            let ids = try await store.read.queryEmails(query).hits.map(\.emailID)
            let found = try await store.read.emails(ids, in: accountID)
                .first { $0.email.header.messageID.contains(messageID) }
            if let found { return found }
        }
        return nil
    }

    /// A conversation that has returned was seen to once the user moves it out of the inbox.
    private func seen(_ thread: [Email]) -> Outcome {
        let conversation = Conversation(emails: thread, mailboxID: nil, places: replies.places)
        if thread.contains(where: { conversation.isIn($0, [.inbox]) }) { return .stays }
        return isAtRest ? .ends : .unsure
    }

    /// Where mailboxes are labels, the message itself comes to the inbox as well. Otherwise it stays in Sent if there is
    /// a message from others that can come instead.
    private func returning(_ reminder: Reminder, _ message: Email, _ thread: [Email]) -> Outcome {
        let places = replies.places
        let conversation = Conversation(emails: thread, mailboxID: nil, places: places)
        let living = thread.filter { !conversation.isDraft($0) && !conversation.isIn($0, [.trash, .junk]) }
        guard let inbox = places.first(.inbox), living.contains(where: { $0.id == message.id }) else {
            // The user threw it away.
            return isAtRest ? .ends : .unsure
        }
        let others = living.filter { !replies.isOwn($0) }.max {
            ($0.receivedAt, $0.id) < ($1.receivedAt, $1.id)
        }
        let shown = places.hasLabels ? message : others ?? message
        var update = EmailUpdate(shown.id, in: shown.accountID)
        if !shown.mailboxIDs.contains(inbox.id) {
            update.addMailboxes = [inbox.id]
            let left = places.all([.archive]).union(places.snoozed.map { [$0.id] } ?? [])
            update.removeMailboxes =
                places.hasLabels ? shown.mailboxIDs.intersection(left) : shown.mailboxIDs
        }
        if shown.keywords.contains(.seen) { update.removeKeywords = [.seen] }
        var returned = reminder
        returned.emailID = message.id
        returned.returned = Reminder.Return(at: now, emailID: shown.id)
        return .returns(returned, update)
    }
}
