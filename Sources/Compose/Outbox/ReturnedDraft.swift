import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// Makes a message that was not sent after all one that can be written on.
struct ReturnedDraft {
    let store: MailStore
    let mail: MailActions

    /// Puts the message back if it is gone, and makes it a draft if asked to or if it had to be put back.
    func restore(_ submission: EmailSubmission, asDraft: Bool) async throws {
        guard !submission.isAutomatic else { return }
        let accountID = submission.accountID
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let home = OwnDrafts.place(among: mailboxes, of: accountID)
        if let email = try await store.read.emails([submission.emailID], in: accountID).first?.email {
            guard asDraft, !email.keywords.contains(.draft) else { return }
            if !home.changes.isEmpty { try await store.commit(home.changes) }
            let sent = Set(mailboxes.filter { $0.role == .sent }.map(\.id))
            let places = email.mailboxIDs.subtracting(sent).union([home.id])
            try await mail.update(
                [EmailUpdate(email, keywords: email.keywords.union([.draft]), mailboxIDs: places)],
                in: accountID)
            return
        }
        if !home.changes.isEmpty { try await store.commit(home.changes) }
        let snapshot = try await StoredBlob(submission.snapshotBlobID, in: accountID, store.read)
        let message = try await snapshot.data(limit: Blobs.messageLimit)
        _ = try await mail.add(
            try Self.hiddenRecipients(of: submission, in: message) + message, to: [home.id],
            keywords: [.draft, .seen],
            receivedAt: submission.queuedAt, in: accountID)
    }

    /// The Bcc field that was removed for sending: recipients that are not visible.
    private static func hiddenRecipients(
        of submission: EmailSubmission, in message: Data
    ) throws -> Data {
        let header = EmailHeader(fields: MessageParser().headers(of: message.prefix(100_000)))
        let named = Set((header.to + header.cc).map(\.key))
        let hidden = submission.envelope.rcptTo.map { EmailAddress(email: $0) }
            .filter { !named.contains($0.key) }
        return hidden.isEmpty ? Data() : try MessageBuilder.field(DraftHeader("Bcc", .addresses(hidden)))
    }
}
