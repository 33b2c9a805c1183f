import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// The copy of a message that was sent, for Sent: as it went out, and with the Bcc that went nowhere.
struct SentCopy {
    let drafts: Drafts

    /// What puts it there, here at once and then at the service, once.
    func changes(for draft: Draft, _ submission: EmailSubmission) async throws -> [StorageChange] {
        let accountID = draft.accountID
        let store = drafts.store
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        // Without a Sent it must not be lost either.
        let places: [Mailbox.Role] = [.sent, .archive, .inbox]
        let mailbox = places.lazy.compactMap { role in mailboxes.first { $0.role == role } }.first
        let identities = try await store.read.identities(nil, in: accountID)
        guard let mailbox = mailbox ?? mailboxes.first,
            try await store.read.blobInfo(submission.snapshotBlobID, in: accountID) != nil,
            let identity = identities.first(where: { $0.id == submission.identityID }) ?? identities.first
        else { return [] }
        let snapshot = try await StoredBlob(submission.snapshotBlobID, in: accountID, store.read)
        let hidden = try MessageBuilder.field(DraftHeader("Bcc", .addresses(draft.content.bcc.once())))
        let source = PrefixedSource(prefix: draft.content.bcc.isEmpty ? Data() : hidden, rest: snapshot)
        let emailID: Id<Email> = drafts.ids.next("M")
        let blobID = BlobID(email: emailID).id
        let claim = try await drafts.blobs.write(source, as: blobID, in: accountID)
        let message = DraftMessage(draft.content, as: identity, at: submission.queuedAt)
        let parsed = try await message.parsed(asSent: true) { BlobID(email: emailID, part: $0).id }
        let fields = MessageParser().headers(of: try await source.read(at: 0, count: 200_000))
        var body = parsed.body
        body.headers = fields
        let email = Email(
            id: emailID, accountID: accountID, blobID: blobID, mailboxIDs: [mailbox.id], keywords: [.seen],
            size: source.size, receivedAt: drafts.clock.now, header: EmailHeader(fields: fields),
            hasAttachment: parsed.hasAttachment, preview: parsed.preview)
        var copy = ServerCopy(emailID)
        copy.isOnce = true
        var sent = submission
        sent.emailID = emailID
        return [
            .putEmail(email, body), claim, try copy.change("sent-" + emailID.rawValue, accountID),
            .putSubmission(sent),
        ]
    }
}
