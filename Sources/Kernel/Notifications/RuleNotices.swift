import FoundationEssentials
import MailKernelAPI
import Rules
import Store

/// Shows what rules notify of: once for each message, wherever its rules have put it.
///
/// What a rule asks for is on record until a plugin has shown it. A program that is killed in between shows it again at
/// its next start, in the same place.
extension Notifications {
    func tellOfRules() async {
        // A visible page announces them itself.
        guard await !presence.isAnyVisible else { return }
        do {
            for account in try await store.read.accounts() where store.looksAfter(account.id) {
                try await tellOfRules(in: account.id)
            }
        } catch {
            log.write(.info, "mailkernel", "A rule could not notify. \(error.logged)")
        }
    }

    private func tellOfRules(in accountID: Id<Account>) async throws(StorageError) {
        let waiting = try await RuleNotice.waiting(in: accountID, store)
            .filter { !handedOver.contains($0.emailID) }
        guard !waiting.isEmpty else { return }
        let ids = waiting.map(\.emailID)
        handedOver.formUnion(ids)
        // It is not announced as new mail as well.
        told.formUnion(ids)
        do throws(StorageError) {
            let now = clock.now
            let isAllowed = try await mayNotify(accountID)
            let fresh = waiting.filter { now.timeIntervalSince($0.createdAt) < RuleNotice.longest }
            let emails = isAllowed ? try await mail.unmuted(fresh.map(\.emailID), in: accountID) : []
            let shown = Set(emails.map(\.id))
            let rest = ids.filter { !shown.contains($0) }
            try await RuleNotice.end(rest, in: accountID, store)
            handedOver.subtract(rest)
            let texts = Dictionary(fresh.map { ($0.emailID, $0.text) }) { first, _ in first }
            if !emails.isEmpty { try await tell(emails, texts, of: accountID) }
        } catch {
            // It is tried again with the next change.
            handedOver.subtract(ids)
            throw error
        }
    }

    /// - Parameters:
    ///   - new: newest first.
    ///   - texts: what scripts say of them.
    private func tell(
        _ new: [Email], _ texts: [Id<Email>: String?], of accountID: Id<Account>
    ) async throws(StorageError) {
        let now = clock.now
        let recent = entries.filter {
            $0.value.accountID == accountID && $0.value.isOfRules && $0.value.postedAt > now - Self.burst
        }
        let together =
            new.map(\.id) + recent.values.sorted { $0.postedAt > $1.postedAt }.flatMap(\.emailIDs)
        let isClosed = await appLock.isOn
        var entry = Entry(accountID: accountID, emailIDs: together, postedAt: now, isClosed: isClosed)
        entry.isOfRules = true
        let apart = try await mail.apart(in: accountID)
        entry.quiet = Set(new.filter { !$0.isNews(apart) }.map(\.id))
            .union(recent.values.flatMap(\.quiet))
        if isClosed || together.count > Self.mostAtOnce {
            let summary = Id<MailNotification>("rules-\(accountID.rawValue)")
            await takeAway(recent.keys.filter { $0 != summary })
            let named = try await mail.emails(Array(together.prefix(100)), in: accountID)
            let notification =
                isClosed
                ? NoticeWording.closed(together.count, summary, group: accountID.rawValue)
                : NoticeWording.several(named, count: together.count, summary)
            return try await hand(notification, entry)
        }
        for email in new.reversed() {
            entry.emailIDs = [email.id]
            let id = Id<MailNotification>("rule-\(email.id.rawValue)")
            try await hand(NoticeWording.ofRule(email, texts[email.id] ?? nil, id), entry)
        }
    }

    private func hand(_ notification: MailNotification, _ entry: Entry) async throws(StorageError) {
        try await post(notification, entry) { [weak self] in await self?.endNotices(of: entry) }
    }

    // MARK: Their end

    /// Of notifications that are withdrawn, whether or not they were shown.
    func endNotices(of ids: [Id<MailNotification>]) async {
        for entry in ids.compactMap({ entries[$0] }) where entry.isOfRules { await endNotices(of: entry) }
    }

    private func endNotices(of entry: Entry) async {
        let ids = entry.emailIDs.filter { handedOver.contains($0) }
        do {
            try await RuleNotice.end(ids, in: entry.accountID, store)
            handedOver.subtract(ids)
        } catch {
            log.write(.info, "mailkernel", "It could not be noted that a rule notified. \(error.logged)")
        }
    }

    /// Whether one of the messages is still there to be read.
    func isNews(_ entry: Entry) async throws(StorageError) -> Bool {
        let apart = try await mail.apart(in: entry.accountID)
        return try await mail.emails(entry.emailIDs, in: entry.accountID)
            .contains { $0.isNews(apart) || entry.quiet.contains($0.id) }
    }
}

extension Email {
    /// Whether it is unread, and not only in mailboxes that hold dropped mail.
    fileprivate func isNews(_ apart: Set<Id<Mailbox>>) -> Bool {
        !keywords.contains(.seen) && !mailboxIDs.isSubset(of: apart)
    }
}
