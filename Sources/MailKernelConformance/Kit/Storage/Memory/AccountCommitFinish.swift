import MailKernelAPI
import StoreRules

extension AccountCommit {
    /// A record of the account that is not what it was.
    struct Difference {
        var type: DataType
        var id: String
        var kind: ChangeHistory.Kind
        var onlyCounts = false
    }

    /// Brings the counts up to date and says what has changed. Only real differences count: a state
    /// changes when a record does and only then.
    mutating func finish() -> [Difference] {
        recount()
        return mailboxDifferences() + emailDifferences() + threadDifferences()
            + differences(identities, .identity, before.identities, after.identities)
            + differences(submissions, .submission, before.submissions, after.submissions)
    }

    private mutating func recount() {
        let countingBefore = MailboxCounting(before)
        let countingAfter = MailboxCounting(after)
        if before.mailboxIDs(withRoleIn: [.trash]) != after.mailboxIDs(withRoleIn: [.trash]) {
            after.counts = countingAfter.all()
            mailboxes.formUnion(after.mailboxes.keys)
            return
        }
        for threadID in threads {
            for (id, count) in countingBefore.contribution(of: threadID) {
                after.counts[id, default: MailboxCounts()].add(count, times: -1)
                mailboxes.insert(id)
            }
            for (id, count) in countingAfter.contribution(of: threadID) {
                after.counts[id, default: MailboxCounts()].add(count, times: 1)
                mailboxes.insert(id)
            }
        }
        for id in mailboxes {
            after.counts[id] = after.mailboxes[id].map { _ in after.counts[id] ?? MailboxCounts() }
        }
    }

    private func mailboxDifferences() -> [Difference] {
        mailboxes.sorted().compactMap { id in
            let (old, new) = (before.storedMailbox(id), after.storedMailbox(id))
            guard let kind = Self.kind(old, new, isSame: old == new) else { return nil }
            let onlyCounts = kind == .updated && old?.mailbox == new?.mailbox
            return Difference(type: .mailbox, id: id.rawValue, kind: kind, onlyCounts: onlyCounts)
        }
    }

    private func emailDifferences() -> [Difference] {
        emails.sorted().compactMap { id in
            let (old, new) = (before.emails[id], after.emails[id])
            let isSame = old.flatMap { old in new?.isSame(as: old) } ?? false
            return Self.kind(old, new, isSame: isSame).map {
                Difference(type: .email, id: id.rawValue, kind: $0)
            }
        }
    }

    private func threadDifferences() -> [Difference] {
        threads.sorted().compactMap { id in
            let (old, new) = (before.thread(id), after.thread(id))
            return Self.kind(old, new, isSame: old == new).map {
                Difference(type: .thread, id: id.rawValue, kind: $0)
            }
        }
    }

    private func differences<Record: Equatable>(
        _ touched: Set<Id<Record>>, _ type: DataType, _ before: [Id<Record>: Record],
        _ after: [Id<Record>: Record]
    ) -> [Difference] {
        touched.sorted().compactMap { id in
            let (old, new) = (before[id], after[id])
            return Self.kind(old, new, isSame: old == new).map {
                Difference(type: type, id: id.rawValue, kind: $0)
            }
        }
    }

    static func kind<Record>(
        _ old: Record?, _ new: Record?, isSame: @autoclosure () -> Bool
    ) -> ChangeHistory.Kind? {
        switch (old == nil, new == nil) {
        case (true, true): nil
        case (true, false): .created
        case (false, true): .destroyed
        case (false, false): isSame() ? nil : .updated
        }
    }
}
