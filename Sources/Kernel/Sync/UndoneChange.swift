import FoundationEssentials
import MailKernelAPI

/// What takes a change back that the service refused.
struct UndoneChange {
    let change: PendingChange
    let account: Account
    let store: MailStore

    init(_ change: PendingChange, account: Account, store: MailStore) {
        self.change = change
        self.account = account
        self.store = store
    }

    var sentence: String {
        switch change.kind {
        case .update(let updates):
            updates.count == 1
                ? "A message could not be changed." : "\(updates.count) messages could not be changed."
        case .destroy: "A message could not be deleted."
        case .append: "A message could not be saved on the server; it is kept on this device."
        case .createMailbox: "A mailbox could not be made; what was in it is in the archive."
        case .renameMailbox(_, let old): "The mailbox “\(old.name)” could not be renamed."
        case .deleteMailbox: "A mailbox could not be deleted."
        }
    }

    func changes() async throws -> [StorageChange] {
        switch change.kind {
        case .update(let updates): try await inverse(of: updates)
        // What is still there comes back with the next reading.
        case .destroy(let addresses): Set(addresses.map(\.feed)).map(readAnew)
        case .append: []
        case .createMailbox(let id): try await withdraw(id)
        case .renameMailbox(let id, let old): try await renamedBack(id, old)
        case .deleteMailbox:
            try await RemoteMap.load(account.id, from: store).feeds.map { readAnew($0.id) }
        }
    }

    private func inverse(of updates: [EmailUpdate]) async throws -> [StorageChange] {
        let emails = try await store.backend.emails(updates.map(\.id), in: account.id).map(\.email)
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        return updates.compactMap { update in
            guard let email = byID[update.id] else { return nil }
            let back = update.inverse
            let mailboxes = email.mailboxIDs.subtracting(back.removeMailboxes).union(back.addMailboxes)
            return mailboxes.isEmpty ? nil : .updateEmail(back)
        }
    }

    private func readAnew(_ feed: FeedID) -> StorageChange { FeedSync.forgetCursor(of: feed, in: account.id) }

    private func withdraw(_ id: Id<Mailbox>) async throws -> [StorageChange] {
        guard try await exists(id) else { return [] }
        let archive =
            try await store.backend.mailboxes(nil, in: account.id).map(\.mailbox)
            .first { $0.role == .archive }?.id ?? MailboxSync.archiveID(account.id)
        let query = EmailQuery(in: [account.id], filter: .inMailbox(id), limit: 10_000)
        let emails = try await store.backend.queryEmails(query).hits.map(\.emailID)
        // What was made below it moves up: it is refused, or not, on its own.
        let all = try await store.backend.mailboxes(nil, in: account.id).map(\.mailbox)
        let parent = all.first { $0.id == id }?.parentID
        let below = all.filter { $0.parentID == id }.map { child in
            var child = child
            child.parentID = parent
            return StorageChange.putMailbox(child)
        }
        return emails.map { .updateEmail(EmailUpdate($0, in: account.id, addMailboxes: [archive])) }
            + below + [.destroyMailbox(id, in: account.id)]
    }

    private func renamedBack(_ id: Id<Mailbox>, _ old: Mailbox) async throws -> [StorageChange] {
        guard var mailbox = try await store.backend.mailboxes([id], in: account.id).first?.mailbox else {
            return []
        }
        mailbox.name = old.name
        if let parent = old.parentID, try await !exists(parent) { return [.putMailbox(mailbox)] }
        mailbox.parentID = old.parentID
        return [.putMailbox(mailbox)]
    }

    private func exists(_ id: Id<Mailbox>) async throws -> Bool {
        try await !store.backend.mailboxes([id], in: account.id).isEmpty
    }
}
