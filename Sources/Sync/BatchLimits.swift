import FoundationEssentials
import Mail
import MailKernelAPI
import PluginCalls

/// What a provider returns is not trusted.
extension ChangeBatch {
    /// Refuses a batch that breaks the protocol, and sets messages aside that cannot be kept: they are among the
    /// failures then, with the reason.
    mutating func hold(toLimitsAfter cursor: SyncCursor?) throws(AccountError) {
        do throws(AccountError) {
            try checkWhole(after: cursor)
        } catch {
            takeApart(messages.indices)
            throw error
        }
        var seen: Set<RemoteMessageID> = []
        var bad: [Int] = []
        for (index, message) in messages.enumerated() {
            guard let reason = message.problem(seen: &seen) else { continue }
            failures.append(RemoteFailure(id: message.id, reason: reason))
            bad.append(index)
        }
        takeApart(bad)
        for index in bad.reversed() { messages.remove(at: index) }
        updates.removeAll { !$0.isWithinLimits }
        removed.removeAll { !$0.isWithinLimits }
        for index in failures.indices { failures[index].reason = failures[index].reason.cut }
        if let progress, progress.done < 0 || progress.total < progress.done { self.progress = nil }
    }

    private func checkWhole(after cursor: SyncCursor?) throws(AccountError) {
        guard messages.count <= SyncLimits.messages else {
            throw .badAnswer("\(messages.count) messages in one batch; the limit is \(SyncLimits.messages)")
        }
        guard failures.count <= SyncLimits.messages else {
            throw .badAnswer("more than \(SyncLimits.messages) failures in one batch")
        }
        guard max(updates.count, removed.count) <= SyncLimits.changes else {
            throw .badAnswer("more than \(SyncLimits.changes) changes in one batch")
        }
        guard self.cursor.rawValue.utf8.count <= SyncLimits.cursorBytes else {
            throw .badAnswer("a cursor of more than \(SyncLimits.cursorBytes) bytes")
        }
        guard !hasMore || self.cursor != cursor else {
            throw .badAnswer("more changes, but the cursor did not advance")
        }
    }

    private mutating func takeApart(_ indices: some Sequence<Int>) {
        for index in indices { messages[index].content.takeApart() }
    }
}

extension MailboxListing {
    package func checkLimits() throws(AccountError) {
        guard max(mailboxes.count, feeds.count) <= SyncLimits.mailboxes else {
            throw .badAnswer("more than \(SyncLimits.mailboxes) mailboxes")
        }
        let areWithinLimits =
            mailboxes.allSatisfy { $0.id.isWithinLimits }
            && feeds.allSatisfy { $0.id.isWithinLimits && $0.id != FormerPlace.feed }
        guard areWithinLimits else {
            throw .badAnswer("a mailbox whose id is empty or longer than \(SyncLimits.idBytes) bytes")
        }
        guard mailboxes.allSatisfy({ $0.name.utf8.count <= AnswerLimits.nameBytes }) else {
            throw .badAnswer("a mailbox whose name is longer than \(AnswerLimits.nameBytes) bytes")
        }
        guard Set(mailboxes.map(\.id)).count == mailboxes.count, Set(feeds.map(\.id)).count == feeds.count
        else {
            throw .badAnswer("two mailboxes with the same id")
        }
        guard !isDeep else {
            throw .badAnswer("mailboxes nested more than \(AnswerLimits.mailboxDepth) deep")
        }
    }

    /// Cycles do not count; they are broken elsewhere.
    private var isDeep: Bool {
        let parents = Dictionary(mailboxes.map { ($0.id, $0.parentID) }) { first, _ in first }
        return mailboxes.contains { mailbox in
            var above: Set<RemoteMailboxID> = []
            var next = mailbox.parentID
            while let id = next, parents[id] != nil, id != mailbox.id, !above.contains(id) {
                guard above.count < AnswerLimits.mailboxDepth else { return true }
                above.insert(id)
                next = parents[id] ?? nil
            }
            return false
        }
    }
}

extension RemoteMessage {
    /// Why it cannot be kept; nil if it can.
    fileprivate func problem(seen: inout Set<RemoteMessageID>) -> String? {
        guard id.isWithinLimits else {
            return "its id is empty or longer than \(SyncLimits.idBytes) bytes"
        }
        guard seen.insert(id).inserted else { return "it came twice in one batch" }
        guard size >= 0 else { return "its size is negative" }
        guard size <= AnswerLimits.messageBytes else {
            return "its size is more than \(AnswerLimits.messageBytes) bytes"
        }
        guard keywords.areWithinLimits else {
            return "it has more than \(AnswerLimits.keywords) keywords, or one that is empty or longer than "
                + "\(SyncLimits.idBytes) bytes"
        }
        guard mailboxIDs.areWithinLimits else {
            return
                "it is in more than \(AnswerLimits.mailboxesOfMessage) mailboxes, or in one whose id is empty or "
                + "longer than \(SyncLimits.idBytes) bytes"
        }
        if let problem = content.partProblem { return problem }
        guard content.size <= AnswerLimits.contentBytes else {
            return "its content is more than \(AnswerLimits.contentBytes) bytes"
        }
        return nil
    }
}

extension RemoteUpdate {
    fileprivate var isWithinLimits: Bool {
        id.isWithinLimits && keywords?.areWithinLimits ?? true && mailboxIDs?.areWithinLimits ?? true
    }
}

extension Set<Keyword> {
    fileprivate var areWithinLimits: Bool {
        count <= AnswerLimits.keywords
            && allSatisfy { (1...SyncLimits.idBytes).contains($0.rawValue.utf8.count) }
    }
}

extension Set<RemoteMailboxID> {
    fileprivate var areWithinLimits: Bool {
        count <= AnswerLimits.mailboxesOfMessage && allSatisfy(\.isWithinLimits)
    }
}

extension RemoteAddress {
    package var isWithinLimits: Bool { feed.isWithinLimits && id.isWithinLimits }
}

extension Id {
    package var isWithinLimits: Bool { (1...SyncLimits.idBytes).contains(rawValue.utf8.count) }
}
