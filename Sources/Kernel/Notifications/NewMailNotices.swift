import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Rules
import Store

/// Announces new mail, once its rules have run.
extension Notifications {
    /// Mail that another kernel fetched comes without news of a delivery.
    func followOthers() async {
        let types: Set<DataType> = [.email, Arrival.dataType]
        for await changed in store.newsOfOthers.listen() {
            let accounts = changed.keys.filter { types.contains($0.type) }.compactMap(\.accountID)
            for id in Set(accounts) { await look(at: id) }
        }
    }

    func look(at accountID: Id<Account>) async {
        var new: [Id<Email>] = []
        do throws(StorageError) {
            // An account that was just added is filled, which is no news.
            // A clock that was set back must not make all mail old.
            let began = min(since[accountID] ?? clock.now, clock.now)
            since[accountID] = began
            new = try await fresh(in: accountID, since: began, besides: told)
                .filter { told.insert($0).inserted }
            // A visible page announces them itself.
            guard !new.isEmpty, await !presence.isAnyVisible, try await mayNotify(accountID) else { return }
            let news = try await mail.withoutOwn(new, in: accountID)
            if !news.isEmpty { try await tell(news, of: accountID) }
        } catch {
            // They are tried again with the next delivery.
            told.subtract(new.filter { !announced.contains($0) })
            log.write(.info, "mailkernel", "New mail could not be announced. \(error.sentence)")
        }
    }

    /// What a visible page announces, newest first.
    package func newMail(
        in accountID: Id<Account>, since date: Date
    ) async throws(StorageError) -> [Id<Email>] {
        guard try await isLoud(accountID) else { return [] }
        let new = try await fresh(in: accountID, since: max(date, since[accountID] ?? date), besides: known)
        return try await mail.withoutOwn(new, in: accountID)
    }

    /// Unread mail that came after the start, besides what is known, about which no rule has yet to decide, and none
    /// notifies.
    private func fresh(
        in accountID: Id<Account>, since date: Date, besides known: Set<Id<Email>>
    ) async throws(StorageError) -> [Id<Email>] {
        let new = try await mail.unread(in: accountID, since: date).filter { !known.contains($0) }
        guard !new.isEmpty else { return [] }
        // In the order of their lives: what is no longer here is there by now.
        let undecided = try await Arrival.waiting(in: accountID, store)
        // Another kernel on the store does not show them.
        let notices = store.looksAfter(accountID) ? try await RuleNotice.waiting(in: accountID, store) : []
        let ofRules = Set(notices.map(\.emailID))
        return new.filter { !undecided.contains($0) && !ofRules.contains($0) && fates[$0] == nil }
    }

    private func tell(_ new: [Id<Email>], of accountID: Id<Account>) async throws(StorageError) {
        let now = clock.now
        let recent = entries.filter {
            $0.value.accountID == accountID && $0.value.postedAt > now - Self.burst
                && !$0.value.emailIDs.isEmpty && !$0.value.isOfRules
        }
        let together = new + recent.values.sorted { $0.postedAt > $1.postedAt }.flatMap(\.emailIDs)
        let summary = Id<MailNotification>("all-\(accountID.rawValue)")
        let isClosed = await appLock.isOn
        if isClosed || together.count > Self.mostAtOnce {
            let emails = try await mail.emails(together, in: accountID)
            let notification =
                isClosed
                ? NoticeWording.closed(emails.count, summary, group: accountID.rawValue)
                : NoticeWording.several(emails, summary)
            try await post(
                notification,
                Entry(accountID: accountID, emailIDs: together, postedAt: now, isClosed: isClosed))
            announced.formUnion(new)
            return await takeAway(recent.keys.filter { $0 != summary })
        }
        let canArchive = try await !mail.mailboxes(.archive, in: accountID).isEmpty
        // The newest ends on top.
        for email in try await mail.emails(new, in: accountID).reversed() {
            let notification = NoticeWording.one(email, Id(email.id.rawValue), canArchive: canArchive)
            try await post(
                notification, Entry(accountID: accountID, emailIDs: [email.id], postedAt: now))
            announced.insert(email.id)
        }
    }
}
