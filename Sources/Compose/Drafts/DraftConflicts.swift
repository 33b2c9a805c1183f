import FoundationEssentials
import MailKernelAPI

/// Finds drafts that were changed or deleted elsewhere: the service's version wins, unless the local one may
/// be open in a composer.
struct DraftConflicts {
    let drafts: Drafts

    func look(in accountID: Id<Account>) async throws {
        let all = try await drafts.outlines(in: accountID)
        let shown = all.compactMap(\.emailID)
        guard !shown.isEmpty else { return }
        let there = Set(try await drafts.store.read.emails(shown, in: accountID).map(\.email.id))
        for draft in all {
            guard let emailID = draft.emailID, !there.contains(emailID), draft.submissionID == nil else {
                continue
            }
            try await drafts.copies.turns.take(draft.id.rawValue) {
                try await settle(draft.id, missing: emailID, in: accountID)
            }
        }
    }

    private func settle(_ id: Id<Draft>, missing emailID: Id<Email>, in accountID: Id<Account>) async throws {
        // It may have been saved or shown again in between.
        guard var draft = try await drafts.saved(id, in: accountID), draft.emailID == emailID,
            draft.submissionID == nil
        else { return }
        let isOpen = await drafts.mayBeOpen(draft)
        if let other = try await newVersion(of: draft) {
            if isOpen {
                draft.conflict = other.id
                try await drafts.store.commit([try draft.change()])
            } else {
                try await drafts.take(other, as: draft)
            }
        } else if isOpen || draft.shownVersion < draft.version {
            // Deleted elsewhere while being edited here: the text is kept.
            draft.emailID = nil
            draft.shownVersion = 0
            try await drafts.store.commit([
                try draft.change(), .destroyDocument(ServerCopy.key(id.rawValue, accountID)),
            ])
            await drafts.follow(draft)
        } else {
            try await drafts.remove(draft, with: [])
        }
    }

    /// A draft that came in the place of this one: in the same conversation or with the same subject, and not
    /// one of this program's.
    private func newVersion(of draft: Draft) async throws -> Email? {
        let store = drafts.store.read
        let own = Set(try await drafts.outlines(in: draft.accountID).compactMap(\.emailID))
        let query = EmailQuery(
            in: [draft.accountID], filter: .and([.inRole(.drafts), .hasKeyword(.draft)]), limit: 200)
        let found = try await store.queryEmails(query).hits.map(\.emailID).filter { !own.contains($0) }
        let emails = try await store.emails(found, in: draft.accountID).map(\.email)
        return emails.first { email in
            email.receivedAt >= draft.savedAt.addingTimeInterval(-120)
                // Drafts without a subject would all match.
                && (!draft.content.subject.isEmpty && email.header.subject == draft.content.subject
                    || !draft.content.inReplyTo.isEmpty && email.header.inReplyTo == draft.content.inReplyTo
                    || !draft.content.to.isEmpty
                        && Set(email.header.to.map(\.key)) == Set(draft.content.to.map(\.key)))
        }
    }
}

extension Drafts {
    /// Whether the draft may be open in a composer.
    func mayBeOpen(_ draft: Draft) async -> Bool {
        if mayBeOpenElsewhere(draft) { return true }
        guard touched.contains(draft.id) else { return false }
        return await presence.isAnyOpen || clock.now.timeIntervalSince(draft.savedAt) < ServerCopies.interval
    }

    /// Whether the user may be writing it on another computer.
    func mayBeOpenElsewhere(_ draft: Draft) -> Bool {
        store.sharing != nil && clock.now.timeIntervalSince(draft.savedAt) < Self.longestWriting
    }

    private static let longestWriting = 3600.0

    /// Makes another version of a draft this one. To be called while holding its turn.
    func take(_ other: Email, as draft: Draft) async throws {
        guard let content = try await ForeignDraft(store: store).content(of: other) else { return }
        let old = draft.content
        var draft = draft
        draft.content = content.normalized()
        draft.content.mode = old.mode
        draft.content.sourceEmailID = old.sourceEmailID
        // No other program knows of it.
        draft.content.remindAt = old.remindAt
        draft.conflict = nil
        draft.emailID = other.id
        draft.version += 1
        draft.shownVersion = draft.version
        draft.savedAt = other.receivedAt
        let files = DraftFiles(store: store, blobs: blobs)
        let claims = try await files.claim(&draft.content, over: nil, in: draft.accountID)
        var copy = ServerCopy(other.id)
        copy.pushed = other.id
        let others = try await others(than: draft)
        try await store.commit(
            claims + [try draft.change(), try copy.change(draft.id.rawValue, draft.accountID)])
        follow(draft)
        await files.forget(old, besides: others + [draft], in: draft.accountID)
    }

    /// Settles a conflict: the other version takes this one's place, or this one is kept and replaces it.
    package func settleConflict(
        of id: Id<Draft>, in accountID: Id<Account>, keepingOwn: Bool
    ) async throws -> Draft {
        try await copies.turns.take(id.rawValue) {
            guard var draft = try await self.saved(id, in: accountID) else { throw ComposeError.notFound }
            guard let conflict = draft.conflict else { return draft }
            let other = try await self.store.read.emails([conflict], in: accountID).first?.email
            if !keepingOwn, let other {
                try await self.take(other, as: draft)
                return try await self.saved(id, in: accountID) ?? draft
            }
            draft.conflict = nil
            draft.emailID = other?.id
            draft.shownVersion = 0
            draft.version += 1
            var copy = ServerCopy(other?.id ?? Id(""))
            copy.pushed = other?.id
            try await self.store.commit(
                [try draft.change()]
                    + (other == nil ? [] : [try copy.change(id.rawValue, accountID)]))
            await self.follow(draft)
            return draft
        }
    }
}
