import FoundationEssentials
import MailKernelAPI
import Rules
import Store

/// What became of a notification that a rule asked for, while the program runs.
enum RuleNoticeFate {
    /// Plugins are to show it: no page does.
    case handedOver
    /// No plugin could show it. It waits for a page, or the next start.
    case unshown
    /// It was shown, or is not to be. It is in the store only if its end could not be noted there.
    case over
}

/// Shows what rules notify of: once for each message, wherever its rules have put it.
///
/// What a rule asks for is on record until a plugin has shown it. A program that is killed in between shows it again
/// after its next start, with the same id. It is this actor alone that decides who shows it: a plugin, or one window of
/// the page.
extension Notifications {
    func tellOfRules() async {
        let isForPage = await presence.isAnyVisible
        let accounts = try? await store.read.accounts()
        mustLookAgain = accounts == nil
        for account in accounts ?? [] where store.looksAfter(account.id) {
            do {
                try await tellOfRules(in: account.id, isForPage: isForPage)
            } catch {
                mustLookAgain = true
                log.write(.info, "mailkernel", "A rule could not notify. \(error.sentence)")
            }
        }
    }

    private func tellOfRules(in accountID: Id<Account>, isForPage: Bool) async throws(StorageError) {
        let notices = try await RuleNotice.waiting(in: accountID, store)
        let waiting = notices.filter { isWaiting($0.emailID) }
        let new = isForPage ? [] : Set(waiting.map(\.emailID).filter { fates[$0] == nil })
        // At once, so that no page takes one meanwhile.
        for id in new { fates[id] = .handedOver }
        do throws(StorageError) {
            let emails = try await wanted(waiting, in: accountID)
            for id in Set(waiting.map(\.emailID)).subtracting(emails.map(\.id)) { fates[id] = .over }
            try await RuleNotice.end(
                notices.map(\.emailID).filter { fates[$0] == .over }, in: accountID, store)
            let texts = Dictionary(waiting.map { ($0.emailID, $0.text) }) { first, _ in first }
            let shown = emails.filter { new.contains($0.id) }
            if !shown.isEmpty { try await tell(shown, texts, of: accountID) }
        } catch {
            takeBackNotices()
            throw error
        }
    }

    private func isWaiting(_ id: Id<Email>) -> Bool { fates[id] == nil || fates[id] == .unshown }

    /// The messages of those that are still to be shown, newest first.
    private func wanted(
        _ notices: [RuleNotice], in accountID: Id<Account>
    ) async throws(StorageError) -> [Email] {
        guard try await isLoud(accountID) else { return [] }
        // Another kernel may have looked after the account when this one announced it as new mail.
        let news = notices.filter { $0.isNews(at: clock.now) && !announced.contains($0.emailID) }
        return try await mail.unmuted(news.map(\.emailID), in: accountID)
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
            let named = try await mail.emails(Array(together.prefix(100)), in: accountID)
            let notification =
                isClosed
                ? NoticeWording.closed(together.count, summary, group: accountID.rawValue)
                : NoticeWording.several(named, count: together.count, summary)
            try await hand(notification, entry)
            return await takeAway(recent.keys.filter { $0 != summary })
        }
        for email in new.reversed() {
            entry.emailIDs = [email.id]
            let id = Id<MailNotification>("rule-\(email.id.rawValue)")
            try await hand(NoticeWording.ofRule(email, texts[email.id] ?? nil, id), entry)
        }
    }

    private func hand(_ notification: MailNotification, _ entry: Entry) async throws(StorageError) {
        try await post(notification, entry) { [weak self] isShown in
            if isShown {
                await self?.endNotices(of: entry)
            } else {
                await self?.failed(notification.id, entry)
            }
        }
    }

    /// Leaves what no plugin can show to a page.
    private func failed(_ id: Id<MailNotification>, _ entry: Entry) async {
        // It may have been replaced by another one.
        guard entries[id]?.emailIDs == entry.emailIDs else { return }
        entries[id]?.failures += 1
        guard entries[id]?.failures == queues.count else { return }
        for id in entry.emailIDs where fates[id] == .handedOver { fates[id] = .unshown }
        await takeAway([id])
        await offerNotices(in: entry.accountID)
    }

    /// Takes back what was handed over and is in no notification.
    ///
    /// - Returns: whether there was any.
    @discardableResult func takeBackNotices() -> Bool {
        let held = Set(entries.values.filter(\.isOfRules).flatMap(\.emailIDs))
        let lost = fates.filter { $0.value == .handedOver && !held.contains($0.key) }.keys
        for id in lost { fates[id] = nil }
        return !lost.isEmpty
    }

    /// Has this kernel and its windows look at what waits, such as when another kernel has left it.
    func offerNotices(in accountID: Id<Account>) async {
        guard let state = try? await store.read.state(of: RuleNotice.dataType, in: accountID) else { return }
        store.news.publish([CommitResult.StateChange(RuleNotice.dataType, in: accountID, state)])
    }

    // MARK: In the page

    /// What a visible page can show.
    package func ruleNotices(in accountID: Id<Account>) async throws(StorageError) -> [RuleNotice] {
        guard store.looksAfter(accountID) else { return [] }
        let waiting = try await RuleNotice.waiting(in: accountID, store)
        let wanted = Set(try await wanted(waiting, in: accountID).map(\.id))
        return waiting.filter { wanted.contains($0.emailID) && isWaiting($0.emailID) }
    }

    /// Leaves a notification to one window of the page.
    ///
    /// - Returns: false if there is none, or a plugin or another window shows it.
    package func takeNotice(
        of emailID: Id<Email>, in accountID: Id<Account>
    ) async throws(StorageError) -> Bool {
        guard store.looksAfter(accountID), isWaiting(emailID) else { return false }
        let before = fates.updateValue(.over, forKey: emailID)
        do throws(StorageError) {
            let isTaken = try await RuleNotice.take(emailID, in: accountID, store)
            if !isTaken { fates[emailID] = before }
            return isTaken
        } catch {
            fates[emailID] = before
            throw error
        }
    }

    // MARK: Their end

    /// Of notifications that are withdrawn, whether or not they were shown.
    func endNotices(of ids: [Id<MailNotification>]) async {
        for entry in ids.compactMap({ entries[$0] }) where entry.isOfRules { await endNotices(of: entry) }
    }

    private func endNotices(of entry: Entry) async {
        let ids = entry.emailIDs.filter { fates[$0] != .over }
        for id in ids { fates[id] = .over }
        do {
            try await RuleNotice.end(ids, in: entry.accountID, store)
        } catch {
            mustLookAgain = true
            log.write(.info, "mailkernel", "It could not be noted that a rule notified. \(error.sentence)")
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
