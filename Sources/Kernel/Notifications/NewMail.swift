import FoundationEssentials
import MailKernelAPI
import Store

/// The mail that notifications are about.
struct NewMail {
    private static let most = 100

    let store: MailStore

    /// Newest first.
    func unread(
        in accountID: Id<Account>, since date: Date
    ) async throws(StorageError) -> [Id<Email>] {
        let filter = EmailFilter.and([
            .inRole(.inbox), .notKeyword(.seen), .notKeyword(.draft), .after(date),
            .noneInThreadHaveKeyword(.muted),
        ])
        let query = EmailQuery(in: [accountID], filter: filter, limit: Self.most)
        return try await store.read.queryEmails(query).hits.map(\.emailID)
    }

    /// Messages from the user to themselves are not announced.
    func withoutOwn(
        _ ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [Id<Email>] {
        let own = try await store.account(accountID)?.address.lowercased()
        return try await emails(ids, in: accountID)
            .filter { $0.header.from.first?.email.lowercased() != own }.map(\.id)
    }

    /// Whether one of these is still unread in an inbox.
    func areNews(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> Bool {
        let inboxes = try await mailboxes(.inbox, in: accountID)
        return try await emails(ids, in: accountID).contains {
            !$0.keywords.contains(.seen) && !$0.mailboxIDs.isDisjoint(with: inboxes)
        }
    }

    /// Those of these that are not in a muted conversation, newest first.
    func unmuted(
        _ ids: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [Email] {
        let emails = try await emails(ids, in: accountID).sorted { $0.receivedAt > $1.receivedAt }
        guard let newest = emails.first, let oldest = emails.last else { return [] }
        let filter = EmailFilter.and([
            .someInThreadHaveKeyword(.muted), .after(oldest.receivedAt.addingTimeInterval(-1)),
            .before(newest.receivedAt.addingTimeInterval(1)),
        ])
        let query = EmailQuery(in: [accountID], filter: filter, limit: 1_000)
        let muted = Set(try await store.read.queryEmails(query).hits.map(\.emailID))
        return emails.filter { !muted.contains($0.id) }
    }

    /// Where mail is that the user does not look for.
    func apart(in accountID: Id<Account>) async throws(StorageError) -> Set<Id<Mailbox>> {
        try await mailboxes(.trash, in: accountID).union(mailboxes(.junk, in: accountID))
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [Email] {
        var byID: [Id<Email>: Email] = [:]
        for some in ids.slices(of: 500) {
            for stored in try await store.read.emails(Array(some), in: accountID) {
                byID[stored.email.id] = stored.email
            }
        }
        return ids.compactMap { byID[$0] }
    }

    func mailboxes(
        _ role: Mailbox.Role, in accountID: Id<Account>
    ) async throws(StorageError) -> Set<Id<Mailbox>> {
        let all = try await store.read.mailboxes(nil, in: accountID)
        return Set(all.map(\.mailbox).filter { $0.role == role }.map(\.id))
    }
}
