import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// What becomes of a draft that is sent.
extension Drafts {
    /// Writes the outgoing message. Returns the changes that make it permanent.
    func write(
        _ draft: Draft, as blobID: Id<Blob>, from identity: Identity
    ) async throws -> StorageChange {
        let message = DraftMessage(draft.content, as: identity, at: clock.now)
        var builder = message.builder
        builder.flowsText = true
        let files = DraftFiles(store: store, blobs: blobs)
        let sources = try await files.sources(draft.content.carried, in: draft.accountID)
        return try await blobs.write(
            message.outgoing(sources), with: builder, as: blobID, in: draft.accountID
        ).claim
    }

    private func draft(sentBy submission: EmailSubmission) async throws -> Draft? {
        try await all(in: submission.accountID).first { $0.submissionID == submission.id }
    }

    /// What became of a message whose attachments had to be fetched.
    enum Assembly: Sendable {
        case ready
        case waiting(String)
        case failed(String)
    }

    /// Makes the message of a submission that had to wait for attachments.
    func assemble(_ submission: EmailSubmission) async throws -> Assembly {
        guard let found = try await draft(sentBy: submission) else {
            return .failed("The message no longer exists.")
        }
        let accountID = submission.accountID
        let keeping = DraftKeeping(drafts: self)
        try await keeping.fetchOnce(found)
        guard let draft = try await saved(found.id, in: accountID) else {
            return .failed("The message no longer exists.")
        }
        let problems = draft.content.problems
        if let failed = problems.first(where: { $0.kind == .attachmentFailed }) {
            return .failed(failed.text)
        }
        if problems.contains(where: { $0.kind == .attachmentPending }) {
            return .waiting("Waiting for attachments that are not on this device yet.")
        }
        guard
            let identity = try await store.read.identities([submission.identityID], in: accountID).first
        else { return .failed(ComposeError.noIdentity.sentence) }
        let claim = try await write(draft, as: submission.snapshotBlobID, from: identity)
        try await store.commit([claim])
        return .ready
    }

    /// Retries failed attachments of a submission.
    func fetchAgain(for submission: EmailSubmission) async throws {
        guard let found = try await draft(sentBy: submission) else { return }
        try await copies.turns.take(found.id.rawValue) {
            guard var draft = try await self.saved(found.id, in: submission.accountID),
                draft.content.attachments.contains(where: { $0.problem != nil })
            else { return }
            for index in draft.content.attachments.indices { draft.content.attachments[index].problem = nil }
            try await self.store.commit([try draft.change()])
            await self.beginFetchRound(of: draft.id)
        }
    }

    /// Restores a draft whose sending was canceled, or interrupted by the end of the program.
    ///
    /// - Parameters:
    ///   - more: changes to commit together with it.
    ///   - unchanged: fails unless this is so.
    /// - Returns: whether the submission belonged to a draft. If not, nothing is committed.
    func returned(
        _ submission: EmailSubmission, with more: [StorageChange], ifIn unchanged: [ChangeSet.Precondition]
    ) async throws -> Bool {
        guard let found = try await draft(sentBy: submission) else { return false }
        let accountID = submission.accountID
        let isReturned = try await copies.turns.take(found.id.rawValue) {
            guard var draft = try await self.saved(found.id, in: accountID) else { return false }
            draft.submissionID = nil
            // It stays until the draft is sent: it may be opened again days later.
            if let failure = submission.failureForDraft { draft.failure = failure }
            // It may have been changed, set or removed while the message waited.
            let reminder = try await Reminder.awaiting(submission.id, in: accountID, self.store)
            draft.content.remindAt = reminder?.until
            var changes = more
            if let answer = draft.content.answer {
                changes += try await answer.withdrawal(of: submission.id, in: accountID, from: self.store)
            }
            if let emailID = draft.emailID {
                if try await self.store.read.emails([emailID], in: accountID).isEmpty {
                    // A client had the email destroyed; the draft is not lost with it.
                    draft.emailID = nil
                    draft.shownVersion = 0
                    changes.append(.destroyDocument(ServerCopy.key(draft.id.rawValue, accountID)))
                } else {
                    changes += try await self.drafts(emailID, in: accountID)
                    if var copy = try await self.copies.load(draft.id.rawValue, accountID) {
                        copy.isHeld = false
                        changes.append(try copy.change(draft.id.rawValue, accountID))
                    }
                }
            }
            for index in draft.content.attachments.indices { draft.content.attachments[index].problem = nil }
            try await self.store.commit(changes + [try draft.change()], preconditions: unchanged)
            await self.beginFetchRound(of: draft.id)
            await self.follow(draft)
            return true
        }
        if isReturned { await wakeSync(found.id, accountID) }
        return isReturned
    }

    /// Makes an email a draft in Drafts again, wherever a client has moved it.
    private func drafts(_ emailID: Id<Email>, in accountID: Id<Account>) async throws -> [StorageChange] {
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let email = try await store.read.emails([emailID], in: accountID).first?.email
        guard let email, let home = mailboxes.first(where: { $0.role == .drafts }) else { return [] }
        let sent = Set(mailboxes.filter { $0.role == .sent }.map(\.id))
        let update = EmailUpdate(
            email, keywords: email.keywords.union([.draft]),
            mailboxIDs: email.mailboxIDs.subtracting(sent).union([home.id]))
        return update.isEmpty ? [] : [.updateEmail(update)]
    }

    /// Takes away a draft that was sent, and puts the copy into Sent where the service does not do so itself.
    package func sent(_ submission: EmailSubmission) async throws {
        guard let found = try await draft(sentBy: submission) else { return }
        let accountID = submission.accountID
        let features = try await mail.features(of: accountID)
        // First, because the draft contains the reference to its source.
        try await markSource(of: found)
        try await copies.turns.take(found.id.rawValue) {
            guard let draft = try await self.saved(found.id, in: accountID) else { return }
            var changes: [StorageChange] = []
            if !features.contains(.savesSentCopies) {
                changes = try await SentCopy(drafts: self).changes(for: draft, submission)
            }
            changes += try await self.reminder(beginningWith: submission, changes)
            try await self.remove(draft, with: changes)
        }
        await accounts.changed(accountID)
    }

    /// From here on there may be a reply.
    ///
    /// - Parameter copy: the changes that put the copy into Sent.
    private func reminder(
        beginningWith submission: EmailSubmission, _ copy: [StorageChange]
    ) async throws -> [StorageChange] {
        let accountID = submission.accountID
        guard var reminder = try await Reminder.awaiting(submission.id, in: accountID, store) else {
            return []
        }
        let copies = copy.compactMap { if case .putEmail(let email, _) = $0 { email.id } else { nil } }
        var messageID: String?
        if try await store.read.blobInfo(submission.snapshotBlobID, in: accountID) != nil {
            let message = try await StoredBlob(submission.snapshotBlobID, in: accountID, store.read)
            messageID = try await OutgoingMessage.messageID(of: message)
        }
        // A service may hold it until its time.
        let sentAt = max(clock.now, submission.envelope.holdUntil ?? clock.now)
        reminder.begin(emailID: copies.first, messageID: messageID, at: sentAt)
        return [try reminder.change()]
    }

    /// Marks the source as answered or forwarded.
    private func markSource(of draft: Draft) async throws {
        guard let sourceID = draft.content.sourceEmailID, draft.content.mode != .new,
            let source = try await store.read.emails([sourceID], in: draft.accountID).first?.email
        else { return }
        let isForward = [.forward, .forwardAsAttachment].contains(draft.content.mode)
        let mark = isForward ? Keyword.forwarded : .answered
        guard !source.keywords.contains(mark) else { return }
        try await mail.update(
            [EmailUpdate(sourceID, in: draft.accountID, addKeywords: [mark])], in: draft.accountID)
    }
}

extension EmailSubmission {
    /// What the composer shows when the message is edited after it could not be sent.
    fileprivate var failureForDraft: String? {
        guard sendState == .failed, let failure else { return nil }
        // A failure in doubt says itself that the message may have been sent.
        return mayHaveBeenSent ? failure : "This message was not sent. \(failure)"
    }
}
