import FoundationEssentials
import MailKernelAPI
import Store

/// A note on an email that the service has taken, or may have taken, without saying what it calls it.
///
///     awaited ──found by a reading──▶ named: the note goes
///        │  ╰────all mail was read, and it is not there──▶ moved or deleted by another program: both go
///        ╰──destroyed here──▶ unwanted ──found──▶ destroyed there: the note goes
///                                  ╰────all mail was read──▶ it never arrived: the note goes
///
/// A change that is on its way (`PendingChange.emailsThatMayBeThere`) needs no note while its email exists.
package struct UnnamedEmail: Codable, Sendable, Hashable {
    package static let collection = "unnamed-email"

    package enum Fate: Codable, Sendable, Hashable {
        /// The next reading must recognize it, or it would be there twice.
        case awaited
        /// It was destroyed here. There is no name to tell the service, so it is destroyed there when it is found in
        /// one of these, where it was or may have been put. Elsewhere, the same message is another copy, which stays.
        case unwanted(in: Set<Id<Mailbox>>)
    }

    /// What it is recognized by (`MessageMark`).
    package let mark: String
    package let since: Date
    package let fate: Fate
}

/// The unnamed emails of an account.
package struct UnnamedEmails: Sendable {
    package let store: MailStore
    package let accountID: Id<Account>

    package init(store: MailStore, accountID: Id<Account>) {
        self.store = store
        self.accountID = accountID
    }

    package func all() async throws(StorageError) -> [(id: Id<Email>, note: UnnamedEmail)] {
        try await store.allDocuments(in: UnnamedEmail.collection, accountID: accountID).compactMap {
            document in
            document.read(as: UnnamedEmail.self).map { (Id(document.key.name), $0) }
        }
    }

    package func note(on id: Id<Email>) async throws(StorageError) -> UnnamedEmail? {
        try await store.read.document(key(id))?.read(as: UnnamedEmail.self)
    }

    package func isAwaiting(anyOf ids: Set<Id<Email>>) async throws(StorageError) -> Bool {
        for id in ids where try await note(on: id)?.fate == .awaited { return true }
        return false
    }

    package var isAwaitingAny: Bool {
        get async throws(StorageError) { try await all().contains { $0.note.fate == .awaited } }
    }

    // MARK: Changes

    package func awaiting(_ email: Email, at now: Date) throws -> StorageChange {
        try put(UnnamedEmail(mark: MessageMark.mark(email), since: now, fate: .awaited), on: email.id)
    }

    /// It has a name, or never will have one.
    package func settled(_ id: Id<Email>) -> StorageChange { .destroyDocument(key(id)) }

    /// If one email replaces another, the service will report the new one.
    package func replacing(
        _ old: Id<Email>, by new: Id<Email>
    ) async throws -> [StorageChange] {
        guard let note = try await note(on: old), note.fate == .awaited else { return [] }
        return [settled(old), try put(note, on: new)]
    }

    /// What to note when emails are destroyed here.
    func destroying(
        _ emails: [Email], _ pending: [PendingChange], besides setAside: Set<Id<Email>>, at now: Date
    ) async throws -> [StorageChange] {
        let onTheirWay = Set(pending.flatMap(\.emailsThatMayBeThere)).union(setAside)
        var changes: [StorageChange] = []
        for email in emails {
            let known = try await note(on: email.id)
            guard known != nil || onTheirWay.contains(email.id) else { continue }
            // It may have been moved on here since it went to the service.
            let places = pending.compactMap { $0.update(of: email.id) }.reduce(email.mailboxIDs) {
                $0.union($1.removeMailboxes).union($1.addMailboxes)
            }
            let mark = known?.mark ?? MessageMark.mark(email)
            changes.append(
                try put(UnnamedEmail(mark: mark, since: now, fate: .unwanted(in: places)), on: email.id))
        }
        return changes
    }

    /// What was destroyed here is destroyed at the account's new place when it is found there.
    package func destroyed(_ lost: LostEmail, at now: Date) throws -> StorageChange {
        try put(UnnamedEmail(mark: lost.mark, since: now, fate: .unwanted(in: lost.mailboxIDs)), on: lost.id)
    }

    /// It was destroyed here while it was on its way, and the service has taken it.
    package func destroyed(_ email: Email, at now: Date) async throws -> [StorageChange] {
        if case .unwanted = try await note(on: email.id)?.fate { return [] }
        let fate = UnnamedEmail.Fate.unwanted(in: email.mailboxIDs)
        return [try put(UnnamedEmail(mark: MessageMark.mark(email), since: now, fate: fate), on: email.id)]
    }

    /// The service has named a message whose email is gone: it is destroyed there by that name.
    package func destroyThere(_ address: RemoteAddress, of id: Id<Email>) throws -> [StorageChange] {
        let queue = PendingChanges(store: store, accountID: accountID)
        return [
            try queue.put(PendingChange(.destroy([address])), name: "P0" + id.rawValue), settled(id),
        ]
    }

    private func put(_ note: UnnamedEmail, on id: Id<Email>) throws -> StorageChange {
        .putDocument(Document(key(id), value: try JSONValue(encoding: note)))
    }

    private func key(_ id: Id<Email>) -> DocumentKey {
        DocumentKey(UnnamedEmail.collection, id.rawValue, accountID: accountID)
    }
}
