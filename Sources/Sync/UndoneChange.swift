import FoundationEssentials
import Mail
import MailKernelAPI
import Store

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
        case .append: "A message could not be saved on the server. It is kept on this device."
        case .createMailbox: "A folder could not be created; its messages are in Archive."
        case .renameMailbox(_, let old): "The folder “\(old.name)” could not be renamed."
        case .deleteMailbox: "A folder could not be deleted."
        }
    }

    func changes() async throws -> [StorageChange] {
        switch change.kind {
        case .update(let updates): try await inverse(of: updates)
        // Emails that still exist come back with the next sync.
        case .destroy(let addresses): Set(addresses.map(\.feed)).map(readAnew)
        case .append: []
        case .createMailbox(let id): try await withdraw(id)
        case .renameMailbox(let id, let old): try await renamedBack(id, old)
        case .deleteMailbox:
            try await RemoteMap.load(account.id, from: store).feeds.map { readAnew($0.id) }
        }
    }

    private func inverse(of updates: [EmailUpdate]) async throws -> [StorageChange] {
        let emails = try await store.read.emails(updates.map(\.id), in: account.id).map(\.email)
        let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
        let all = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
        let there = Set(all.map(\.id))
        return updates.compactMap { update in
            guard let email = byID[update.id] else { return nil }
            var back = update.inverse
            back.addMailboxes.formIntersection(there)
            let mailboxes = email.mailboxIDs.subtracting(back.removeMailboxes).union(back.addMailboxes)
            // Where it was has been deleted since.
            if mailboxes.isEmpty { back.addMailboxes = [archive(all)] }
            return .updateEmail(back)
        }
    }

    private func archive(_ mailboxes: [Mailbox]) -> Id<Mailbox> {
        mailboxes.first { $0.role == .archive }?.id ?? OwnArchive.id(account.id)
    }

    private func readAnew(_ feed: FeedID) -> StorageChange { FeedSync.forgetCursor(of: feed, in: account.id) }

    private func withdraw(_ id: Id<Mailbox>) async throws -> [StorageChange] {
        let all = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
        guard let refused = all.first(where: { $0.id == id }) else { return [] }
        let query = EmailQuery(in: [account.id], filter: .inMailbox(id), limit: 10_000)
        let emails = try await store.read.queryEmails(query).hits.map(\.emailID)
        // Mailboxes created below it move up: they succeed or fail on their own.
        let parent = refused.parentID
        let below = all.filter { $0.parentID == id }.map { child in
            var child = child
            child.parentID = parent
            return StorageChange.putMailbox(child)
        }
        if id == OwnDrafts.id(account.id) {
            return below + [.putMailbox(OwnDrafts.mailbox(of: account.id))]
        }
        let (home, made) =
            refused.role == .drafts
            ? OwnDrafts.place(among: all.filter { $0.id != id }, of: account.id) : (archive(all), [])
        return made + emails.map { .updateEmail(EmailUpdate($0, in: account.id, addMailboxes: [home])) }
            + below + [.destroyMailbox(id, in: account.id)]
    }

    private func renamedBack(_ id: Id<Mailbox>, _ old: Mailbox) async throws -> [StorageChange] {
        let all = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
        guard var mailbox = all.first(where: { $0.id == id }) else { return [] }
        mailbox.name = old.name
        // Where it was may be gone, or be below it by now.
        var above = old.parentID
        while let next = above, next != id { above = all.first { $0.id == next }?.parentID }
        let isThere = old.parentID.map { parent in all.contains { $0.id == parent } } ?? true
        if isThere, above == nil { mailbox.parentID = old.parentID }
        return [.putMailbox(mailbox)]
    }
}
