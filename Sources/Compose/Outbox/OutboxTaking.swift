import FoundationEssentials
import MailKernelAPI

/// How messages come into the outbox.
extension Outbox {
    /// Takes a message to be sent. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - pausesWhenClosed: the undo time stands still while no window of the page is open.
    ///   - date: when it is sent; nil for as soon as possible.
    package func submit(
        _ message: Data, of email: StoredEmail, as identity: Identity, envelope: Envelope,
        pausesWhenClosed: Bool = false, at date: Date? = nil
    ) async throws -> EmailSubmission {
        var submission = try await newSubmission(of: email, as: identity, envelope: envelope)
        if let date { submission.schedule(at: date) }
        let header = email.email.header
        let kept = try await blobs.keep(
            OutgoingMessage.withoutBcc(message), as: submission.snapshotBlobID, type: "message/rfc822",
            in: submission.accountID)
        let sightings = ContactSighting.recipients(header.to + header.cc, at: clock.now)
        let counted = StorageChange.countContacts(sightings, in: submission.accountID)
        try await enqueue(submission, with: [kept, counted], pausesWhenClosed: pausesWhenClosed)
        return submission
    }

    /// A submission as it begins. Nothing is stored.
    func newSubmission(
        of email: StoredEmail, as identity: Identity, envelope: Envelope
    ) async throws -> EmailSubmission {
        let id: Id<EmailSubmission> = ids.next("S")
        return EmailSubmission(
            id: id, accountID: email.email.accountID, identityID: identity.id, emailID: email.email.id,
            threadID: email.threadID, snapshotBlobID: Id("S" + id.rawValue), envelope: envelope,
            sendAt: clock.now.addingTimeInterval(Double(try await preferences.undoSendDelay)),
            undoStatus: .pending, sendState: .queued, queuedAt: clock.now)
    }

    /// Stores a submission with its email, and only then starts the countdown.
    func enqueue(
        _ submission: EmailSubmission, with changes: [StorageChange], pausesWhenClosed: Bool
    ) async throws {
        set(submission.id) { $0.state = .changing }
        defer { giveBack(submission.id, .idle) }
        try await store.commit([.putSubmission(submission)] + changes)
        if submission.isScheduled { return changed() }
        let countdown = UndoCountdown(
            seconds: submission.sendAt.timeIntervalSince(submission.queuedAt), at: uptime.uptime,
            pausesWhenClosed: pausesWhenClosed, isWatched: await presence.isAnyOpen)
        if submission.undoStatus == .pending { set(submission.id) { $0.countdown = countdown } }
        // A user who sends something is present to unlock the store.
        goOn(submission.accountID)
        changed()
    }
}

extension ContactSighting {
    /// The visible recipients. Bcc recipients stay hidden, also from suggestions (FR-COMP-04).
    package static func recipients(_ addresses: [EmailAddress], at date: Date) -> [ContactSighting] {
        addresses.once().filter { !$0.email.isEmpty }.map { ContactSighting(address: $0, seenAt: date) }
    }
}
