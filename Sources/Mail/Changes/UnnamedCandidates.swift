import MailKernelAPI
import Store

/// What a message of the service is compared with: it may be an email of this device that has no name yet.
package struct UnnamedCandidate: Sendable, Hashable {
    package let id: Id<Email>
    /// It was destroyed here.
    package let isUnwanted: Bool
    /// It will appear in one of these.
    package let mailboxIDs: Set<Id<Mailbox>>
    /// It is moved out of these. What looks like it elsewhere is another program's copy for as long as it
    /// has a name here.
    package let leaves: Set<Id<Mailbox>>
    /// It takes the place of an earlier version, whose name it has until then.
    package let mayReplace: Bool

    fileprivate init(unwanted id: Id<Email>, in mailboxIDs: Set<Id<Mailbox>>) {
        self.id = id
        self.mailboxIDs = mailboxIDs
        (isUnwanted, leaves, mayReplace) = (true, [], false)
    }

    fileprivate init(_ email: Email, mayReplace: Bool, _ pending: [PendingChange]) {
        id = email.id
        isUnwanted = false
        self.mayReplace = mayReplace
        let updates = pending.compactMap { change in
            change.update(of: email.id).map { (isUnderWay: change.mayBeThere == true, update: $0) }
        }
        if let move = updates.first(where: { $0.isUnderWay && $0.update.changesMailboxes })?.update {
            (mailboxIDs, leaves) = (move.addMailboxes, move.removeMailboxes)
        } else {
            // It may have been moved on here since it went to the service.
            mailboxIDs = updates.reduce(email.mailboxIDs) { $0.union($1.update.removeMailboxes) }
            leaves = []
        }
    }
}

extension UnnamedEmails {
    /// An email that the service may report under another name.
    package func candidate(_ email: Email, _ pending: [PendingChange]) -> UnnamedCandidate {
        UnnamedCandidate(email, mayReplace: true, pending)
    }

    /// All candidates by their marks, those that still exist here first: the service has taken them without naming
    /// them, or they were on their way when the last try ended.
    package func candidates(
        _ pending: [PendingChange]
    ) async throws(StorageError) -> [String: [UnnamedCandidate]] {
        let notes = try await all()
        var awaited: [Id<Email>: String] = [:]
        for (id, note) in notes where note.fate == .awaited { awaited[id] = note.mark }
        let ids = Set(awaited.keys).union(pending.flatMap(\.emailsThatMayBeThere))
        let emails = ids.isEmpty ? [] : try await store.read.emails(ids.sorted(), in: accountID).map(\.email)
        var candidates: [String: [UnnamedCandidate]] = [:]
        for email in emails {
            let mark = awaited[email.id]
            candidates[mark ?? MessageMark.mark(email), default: []]
                .append(UnnamedCandidate(email, mayReplace: mark != nil, pending))
        }
        for (id, note) in notes {
            guard case .unwanted(let mailboxIDs) = note.fate else { continue }
            candidates[note.mark, default: []].append(UnnamedCandidate(unwanted: id, in: mailboxIDs))
        }
        return candidates
    }
}
