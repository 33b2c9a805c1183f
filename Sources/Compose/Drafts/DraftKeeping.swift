import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Sync

/// Keeps what shows a draft in step with it: its email in Drafts, and its attachments.
struct DraftKeeping {
    /// Saves are frequent while typing, and showing a draft writes its whole message.
    private static let pause = 1.0
    /// A larger draft is shown again only once a minute.
    private static let heavy = 1_000_000

    let drafts: Drafts

    /// Replaces the email that shows a draft by one that shows its newest version.
    func show(_ id: Id<Draft>, in accountID: Id<Account>) async throws {
        if let draft = try await drafts.saved(id, in: accountID), draft.shownVersion > 0,
            let shown = await drafts.lastShown[id]
        {
            let isHeavy = draft.content.attachments.reduce(0, { $0 + $1.size }) > Self.heavy
            let pause = isHeavy ? ServerCopies.interval : Self.pause
            let now = drafts.clock.now
            // The clock may have been set back.
            let next = min(shown, now).addingTimeInterval(pause)
            if next > now { try await drafts.pause(until: next) }
        }
        try await drafts.copies.turns.take(id.rawValue) {
            while let draft = try await drafts.saved(id, in: accountID), draft.submissionID == nil,
                draft.conflict == nil, draft.shownVersion < draft.version
            {
                do {
                    return try await replaceEmail(of: draft)
                } catch is ChangedElsewhere {
                    try Task.checkCancellation()
                }
            }
        }
        await drafts.wakeSync(id, accountID)
    }

    /// To be called while holding the draft's turn.
    func replaceEmail(of draft: Draft) async throws {
        let accountID = draft.accountID
        let old = draft
        var draft = draft
        let store = drafts.store
        let before = try await before(draft)
        draft.shownVersion = draft.version
        guard !draft.content.isEmpty else {
            draft.emailID = nil
            let rest = [
                try draft.change(), .destroyDocument(ServerCopy.key(draft.id.rawValue, accountID)),
            ]
            return try await commit(over: old, instead: before) {
                try await drafts.gone(before?.id, in: accountID) + rest
            }
        }
        let mailboxes = try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
        let home = OwnDrafts.place(among: mailboxes, of: accountID)
        guard
            let identity = try await store.read.identities([draft.content.identityID], in: accountID).first
        else { throw ComposeError.noIdentity }
        let emailID: Id<Email> = drafts.ids.next("M")
        let (email, body, claim) = try await email(draft, emailID, as: identity)
        var shown = email
        shown.mailboxIDs = before?.mailboxIDs ?? [home.id]
        shown.keywords = (before?.keywords ?? [.seen]).union([.draft])
        draft.emailID = emailID
        let made = before == nil ? home.changes : []
        let changes: [StorageChange] = made + [.putEmail(shown, body), claim, try draft.change()]
        try await commit(over: old, instead: before) { [name = draft.id.rawValue] in
            let copied = try await drafts.copies.replace(before?.id, by: emailID, name, in: accountID)
            return changes + copied + (before.map { [.destroyEmail($0.id, in: accountID)] } ?? [])
        }
        await drafts.shown(draft.id)
    }

    /// - Throws: `ChangedElsewhere` if another kernel has changed the draft.
    private func commit(
        over draft: Draft, instead before: Email?,
        _ changes: @Sendable () async throws -> [StorageChange]
    ) async throws {
        let accountID = draft.accountID
        if drafts.store.sharing == nil {
            try await drafts.store.commitNamed(in: accountID, changes)
        } else {
            let types = [Draft.collection, ServerCopy.collection].map { DataType.documents($0) }
            try await drafts.store.commitNamed(in: accountID, reading: types) {
                let now = try await drafts.saved(draft.id, in: accountID)
                guard let now, now.version == draft.version, now.emailID == draft.emailID else {
                    throw ChangedElsewhere()
                }
                return try await changes()
            }
        }
        guard let before else { return }
        await drafts.blobs.removeNowOrLater(before.blobID, in: before.accountID)
    }

    /// Another kernel came before.
    private struct ChangedElsewhere: Error {}

    /// The email that shows it, unless it was moved out of Drafts.
    private func before(_ draft: Draft) async throws -> Email? {
        guard let emailID = draft.emailID else { return nil }
        return try await drafts.store.read.emails([emailID], in: draft.accountID).first?.email
    }

    private func email(
        _ draft: Draft, _ emailID: Id<Email>, as identity: Identity
    ) async throws -> (Email, EmailBody, StorageChange) {
        let accountID = draft.accountID
        // Attachments not fetched yet are added with the next version.
        var content = draft.content.carried
        content.attachments.removeAll(where: \.isPending)
        let message = DraftMessage(content, as: identity, at: draft.savedAt)
        let files = DraftFiles(store: drafts.store, blobs: drafts.blobs)
        let sources = try await files.sources(content, in: accountID)
        let parsed = try await message.parsed { BlobID(email: emailID, part: $0).id }
        let blobID = BlobID(email: emailID).id
        let written = try await drafts.blobs.write(
            message.draft(sources), with: message.builder, as: blobID, in: accountID)
        let email = Email(
            id: emailID, accountID: accountID, blobID: blobID, mailboxIDs: [], size: written.size,
            receivedAt: draft.savedAt, header: parsed.header, hasAttachment: parsed.hasAttachment,
            preview: parsed.preview)
        return (email, parsed.body, written.claim)
    }

    // MARK: Attachments

    /// Fetches missing attachments. Failures caused by the connection are retried.
    func fetchFiles(of id: Id<Draft>, in accountID: Id<Account>) async throws {
        while let draft = try await drafts.saved(id, in: accountID),
            draft.content.attachments.contains(where: { $0.isPending && $0.problem == nil })
        {
            guard try await fetchOnce(draft) else { return }
            try await drafts.clock.sleep(for: RetrySchedule.attachment.longest)
        }
    }

    /// - Returns: whether trying again later may help.
    @discardableResult
    func fetchOnce(_ draft: Draft) async throws -> Bool {
        let files = DraftFiles(store: drafts.store, blobs: drafts.blobs)
        var waits = false
        for attachment in draft.content.attachments where attachment.isPending && attachment.problem == nil {
            let round = await drafts.fetchRound(of: draft.id)
            do {
                let (kept, size, claim) = try await files.keep(attachment.blobID, in: draft.accountID)
                try await settle(attachment.blobID, of: draft, with: [claim]) { found in
                    found.keptAs = kept
                    found.size = size
                }
            } catch let error as AccountError where error.concernsWholeAccount {
                waits = true
            } catch let error as AccountError {
                try await failed(attachment.blobID, of: draft, in: round, because: error.sentence)
            } catch let error as BlobError {
                waits = waits || error == .accountInactive
                guard error != .accountInactive else { continue }
                try await failed(attachment.blobID, of: draft, in: round, because: error.sentence)
            }
        }
        return waits
    }

    /// Notes why an attachment could not be fetched.
    ///
    /// - Parameter round: the one in which the fetch began. If it was to be fetched again since then, that fetch decides.
    func failed(
        _ blobID: Id<Blob>, of draft: Draft, in round: Int, because sentence: String
    ) async throws {
        try await settle(blobID, of: draft, in: round, with: []) { $0.problem = sentence }
    }

    private func settle(
        _ blobID: Id<Blob>, of draft: Draft, in round: Int? = nil, with changes: [StorageChange],
        _ change: @Sendable (inout DraftAttachment) -> Void
    ) async throws {
        try await drafts.copies.turns.take(draft.id.rawValue) {
            if let round, await drafts.fetchRound(of: draft.id) != round { return }
            guard var draft = try await drafts.saved(draft.id, in: draft.accountID) else { return }
            var isChanged = false
            for index in draft.content.attachments.indices
            where draft.content.attachments[index].blobID == blobID
                && draft.content.attachments[index].isPending
            {
                change(&draft.content.attachments[index])
                isChanged = true
            }
            // Another fetch was faster; the bytes of this one go like an old upload.
            guard isChanged else { return }
            // The email in Drafts is to have it too.
            draft.version += 1
            try await drafts.store.commit(changes + [try draft.change()])
        }
    }
}
