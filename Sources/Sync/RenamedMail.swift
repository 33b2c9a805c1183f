import Mail
import MailKernelAPI
import Store

/// Emails with something that only this program knows: snoozes, reminders, drafts and changes that were not sent. When a
/// service gives messages other names, as after a change of UIDVALIDITY, these are recognized and stay what they are.
struct LocalTraces: Sendable {
    private let ids: Set<Id<Email>>
    private let pending: [PendingChange]

    static func load(
        _ accountID: Id<Account>, _ pending: [PendingChange], from store: MailStore
    ) async throws(StorageError) -> LocalTraces {
        let snoozed = try await Snooze.all(in: accountID, store).keys
        let reminded = try await Reminder.all(in: accountID, store).compactMap(\.emailID)
        return LocalTraces(ids: Set(snoozed).union(reminded), pending: pending)
    }

    /// Without a Message-ID, another message could be taken for it.
    func areOn(_ email: Email) -> Bool {
        guard email.header.messageID.first != nil else { return false }
        return email.keywords.contains(.draft) || ids.contains(email.id)
            || pending.contains { $0.update(of: email.id) != nil }
    }
}

extension IncomingMail {
    /// Those of a feed's removed emails that may have other names now, because the feed is read from the beginning.
    func renamed(_ ids: [Id<Email>], from feed: FeedID) async throws -> [Email] {
        guard !ids.isEmpty else { return [] }
        let traces = try await LocalTraces.load(account.id, pending, from: store)
        var renamed: [Email] = []
        for some in ids.slices(of: 1_000).map(Array.init) {
            let refs = try await store.read.remoteRefs(of: some, in: account.id)
            let held = Set(refs.filter { $0.feed != feed }.map(\.emailID))
            renamed += try await store.read.emails(some, in: account.id).map(\.email)
                .filter { traces.areOn($0) && !held.contains($0.id) }
        }
        return renamed
    }

    /// The same, with these emails among those that messages are compared with.
    func expecting(_ emails: [Email]) -> IncomingMail {
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        var copy = self
        for email in emails {
            copy.candidates[MessageMark.mark(email), default: []].append(unnamed.candidate(email, pending))
        }
        return copy
    }
}
