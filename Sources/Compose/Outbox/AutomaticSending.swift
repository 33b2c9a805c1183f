import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// Messages that the program sends by itself, as rules ask for.
extension Outbox {
    /// Takes a message to be sent at once: the user does not see it go, so there is no undo delay. It is on disk when this
    /// returns.
    ///
    /// - Parameters:
    ///   - id: the submission's; there is one if the message was taken before.
    ///   - email: the message that led to it.
    ///   - unchanged: fails unless this is so.
    ///   - changes: other changes for the same commit.
    package func submitAutomatic(
        _ message: Data, as id: Id<EmailSubmission>, from identity: Identity, about email: StoredEmail,
        to recipients: [String], ifIn unchanged: [ChangeSet.Precondition], with changes: [StorageChange]
    ) async throws {
        let accountID = email.email.accountID
        guard try await store.read.submissions([id], in: accountID).isEmpty else {
            try await store.commit(changes)
            return
        }
        let submission = EmailSubmission(
            id: id, accountID: accountID, identityID: identity.id, emailID: email.email.id,
            threadID: email.threadID, snapshotBlobID: Id("S" + id.rawValue),
            envelope: Envelope(
                mailFrom: EmailAddress(email: identity.email).transportForm,
                rcptTo: recipients.map { EmailAddress(email: $0).transportForm }),
            sendAt: clock.now, undoStatus: .final, sendState: .queued, queuedAt: clock.now)
        let kept = try await blobs.keep(
            OutgoingMessage.withoutBcc(message), as: submission.snapshotBlobID, type: "message/rfc822",
            in: accountID)
        try await store.commit([.putSubmission(submission), kept] + changes, preconditions: unchanged)
        changed()
    }
}

extension EmailSubmission {
    /// The first letter of the ids of messages that the program sends by itself.
    package static let automaticPrefix: Character = "R"

    /// Its email is the message that led to it, not the one that is sent.
    var isAutomatic: Bool { id.rawValue.first == Self.automaticPrefix }
}
