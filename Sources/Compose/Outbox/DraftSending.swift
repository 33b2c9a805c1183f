import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Store

/// Sends drafts: makes the message that goes out and gives it to the outbox, together with the draft, which
/// comes back unchanged if it is called back.
package struct DraftSending: Sendable {
    let store: MailStore
    let drafts: Drafts
    let outbox: Outbox

    package init(store: MailStore, drafts: Drafts, outbox: Outbox) {
        self.store = store
        self.drafts = drafts
        self.outbox = outbox
    }

    /// - Parameters:
    ///   - isFromPage: its undo time stands still while no window of the page is open.
    ///   - isUndoable: whether it waits for the undo delay.
    ///   - date: when it is sent; nil for as soon as possible.
    ///   - byService: whether the service gets it after the undo delay and sends it then.
    ///   - more: changes to commit together with the submission.
    ///   - noting: the same, for changes that name the submission.
    /// - Returns: the submission. It is on disk.
    /// - Throws: `ComposeError.problems` if something keeps it from being sent.
    package func send(
        _ id: Id<Draft>, in accountID: Id<Account>, isFromPage: Bool, isUndoable: Bool = true,
        at date: Date? = nil, byService: Bool = false, with more: [StorageChange] = [],
        noting: @Sendable (EmailSubmission) throws -> [StorageChange] = { _ in [] }
    ) async throws -> EmailSubmission {
        try await drafts.copies.turns.take(id.rawValue) {
            guard var draft = try await drafts.draft(id, in: accountID) else { throw ComposeError.notFound }
            guard draft.submissionID == nil else { throw ComposeError.isBeingSent }
            let problems = draft.content.problems
            if problems.contains(where: \.blocksSending) { throw ComposeError.problems(problems) }
            guard
                let identity = try await store.read.identities([draft.content.identityID], in: accountID)
                    .first
            else { throw ComposeError.noIdentity }
            draft = try await saved(draft)
            return try await submit(
                draft, as: identity, isFromPage: isFromPage, isUndoable: isUndoable, at: date,
                byService: byService, with: more, noting: noting)
        }
    }

    /// A draft that has an email and its own copies of its attachments. To be called while holding its turn.
    private func saved(_ draft: Draft) async throws -> Draft {
        var draft = draft
        if draft.version == 0 {
            // Written elsewhere, and sent from here as it is.
            let files = DraftFiles(store: store, blobs: drafts.blobs)
            let claims = try await files.claim(&draft.content, over: nil, in: draft.accountID)
            draft.version = 1
            draft.shownVersion = 1
            var copy = ServerCopy(draft.emailID ?? Id(""))
            copy.pushed = draft.emailID
            try await store.commit(
                claims + [try draft.change(), try copy.change(draft.id.rawValue, draft.accountID)])
        }
        if draft.shownVersion < draft.version {
            try await DraftKeeping(drafts: drafts).replaceEmail(of: draft)
        }
        guard let shown = try await drafts.saved(draft.id, in: draft.accountID) else {
            throw ComposeError.notFound
        }
        return shown
    }

    private func submit(
        _ draft: Draft, as identity: Identity, isFromPage: Bool, isUndoable: Bool,
        at date: Date?, byService: Bool, with more: [StorageChange],
        noting: (EmailSubmission) throws -> [StorageChange]
    ) async throws -> EmailSubmission {
        let accountID = draft.accountID
        guard let emailID = draft.emailID,
            let stored = try await store.read.emails([emailID], in: accountID).first
        else { throw ComposeError.notFound }
        let envelope = Envelope(
            mailFrom: EmailAddress(email: identity.email).transportForm,
            rcptTo: draft.content.recipients.once().map(\.transportForm))
        var submission = try await outbox.newSubmission(of: stored, as: identity, envelope: envelope)
        if let date, !byService { submission.schedule(at: date) }
        if !isUndoable { (submission.undoStatus, submission.sendAt) = (.final, submission.queuedAt) }
        // The service gets it after the undo delay, as it would get any other message.
        if byService { submission.envelope.holdUntil = date }
        var changes = try more + noting(submission)
        if !draft.content.carried.attachments.contains(where: \.isPending) {
            changes.append(try await drafts.write(draft, as: submission.snapshotBlobID, from: identity))
        }
        if let answer = draft.content.answer {
            changes.append(try answer.change(sentBy: submission.id, in: accountID))
        }
        var sending = draft
        sending.submissionID = submission.id
        changes.append(try sending.change())
        if var copy = try await drafts.copies.load(draft.id.rawValue, accountID) {
            copy.isHeld = true
            changes.append(try copy.change(draft.id.rawValue, accountID))
        }
        // Of this the service is told nothing: it may be a draft again in a moment.
        changes.append(.updateEmail(EmailUpdate(emailID, in: accountID, removeKeywords: [.draft])))
        let sightings = ContactSighting.recipients(
            draft.content.to + draft.content.cc, at: drafts.clock.now)
        changes.append(.countContacts(sightings, in: accountID))
        try await outbox.enqueue(submission, with: changes, pausesWhenClosed: isFromPage)
        return submission
    }
}
