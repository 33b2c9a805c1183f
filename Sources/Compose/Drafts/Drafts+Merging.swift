import FoundationEssentials
import MailKernelAPI
import Store

/// Drafts that were written on a copy of the store, while its server did not respond.
extension Drafts {
    /// A draft as the copy has it.
    package struct Written: Sendable {
        package let id: Id<Draft>
        let accountID: Id<Account>
        /// Nil if it was deleted there.
        let draft: Draft?
        /// The draft when the server stopped responding; nil if there was none.
        let before: Draft?
        /// The id for a version that cannot have the draft's own.
        let other: Id<Draft>
        /// Whether its text was saved here already.
        let isMerged: Bool
        /// Committed together with it.
        let note: StorageChange

        package init(
            _ key: DocumentKey, in accountID: Id<Account>, _ document: Document?, before: JSONValue?,
            other: Id<Draft>, isMerged: Bool, note: StorageChange
        ) {
            (id, self.accountID, self.other) = (Id(key.name), accountID, other)
            (self.isMerged, self.note) = (isMerged, note)
            draft = document?.read(as: Draft.self)
            self.before = before.map { Document(key, value: $0) }?.read(as: Draft.self)
        }

        package var subject: String { draft?.content.subject ?? "" }
        /// What sends it.
        package var submissionID: Id<EmailSubmission>? { draft?.submissionID }
        /// The blobs that it needs.
        package var files: [Id<Blob>] { (draft?.content.attachments ?? []).compactMap(\.keptAs) }

        /// Nothing was written on the copy, or sent.
        fileprivate var isUnchanged: Bool {
            guard let draft, let before else { return draft == nil && before == nil }
            return draft.submissionID == nil && draft.content.isEqual(to: before.content)
        }
    }

    /// What became of a draft.
    package enum Merge: Sendable, Equatable {
        /// There was nothing to save.
        case nothing
        /// It has the text that was written on the copy.
        case saved
        /// The same, but it was deleted or sent elsewhere meanwhile.
        case restored
        /// It was changed elsewhere, too. Another draft has the text that was written on the copy.
        case both
    }

    /// Saves what was written on the copy. Nothing that was written here or there is lost.
    package func merge(_ written: Written) async throws -> Merge {
        try await copies.turns.take(written.id.rawValue) {
            while true {
                let state = try await self.store.read.state(of: Draft.dataType, in: written.accountID)
                do {
                    return try await self.merge(written, ifInState: state)
                } catch StorageError.stateMismatch(Draft.dataType, _) {
                    // Another kernel saved a draft.
                }
            }
        }
    }

    private func merge(_ written: Written, ifInState state: State) async throws -> Merge {
        guard !written.isUnchanged else { return .nothing }
        let theirs = try await draft(written.id, in: written.accountID)
        guard let ours = written.draft else {
            if let before = written.before, let theirs, theirs.submissionID == nil,
                theirs.content.isEqual(to: before.content)
            {
                try await remove(theirs, with: [written.note])
            }
            return .nothing
        }
        if let theirs, theirs.content.isEqual(to: ours.content) { return .saved }
        guard !written.isMerged else { return .nothing }
        guard let theirs else {
            try await commit(Draft(ours, as: ours.id), written, state)
            return written.before == nil ? .saved : .restored
        }
        // A draft of another program, or one that is as it was.
        let isAsBefore =
            theirs.version == 0 || written.before.map { theirs.content.isEqual(to: $0.content) } ?? false
        guard isAsBefore, theirs.submissionID == nil else {
            try await commit(Draft(ours, as: written.other), written, state)
            return .both
        }
        var draft = theirs
        draft.content = ours.content
        draft.version += 1
        draft.savedAt = ours.savedAt
        try await commit(draft, written, state)
        return .saved
    }

    /// Its files are here already.
    private func commit(_ draft: Draft, _ written: Written, _ state: State) async throws {
        try await store.commit(
            [try draft.change(), written.note],
            preconditions: [.init(Draft.dataType, in: draft.accountID, is: state)])
        follow(draft)
    }
}

extension Draft {
    /// The text of another one, which has not been shown.
    fileprivate init(_ draft: Draft, as id: Id<Draft>) {
        self.init(id: id, accountID: draft.accountID, content: draft.content, savedAt: draft.savedAt)
    }
}

extension DraftContent {
    /// Whether the user wrote the same, wherever the bytes of its files are.
    fileprivate func isEqual(to other: DraftContent) -> Bool { written == other.written }

    private var written: DraftContent {
        var content = self
        content.attachments = attachments.map {
            DraftAttachment(blobID: $0.blobID, name: $0.name, type: $0.type, size: 0)
        }
        return content
    }
}
