import FoundationEssentials
import MailKernelAPI

/// What the last list of mailboxes said about each: a feed that has not changed since it was read need
/// not be asked again. Good for once, and for a short while.
struct StatusMemory {
    private static let goodFor: Double = 5

    private var statuses: [MailboxName: (status: MailboxStatus, at: Date)] = [:]

    mutating func remember(_ status: MailboxStatus, of name: MailboxName, at date: Date) {
        statuses[name] = (status, date)
    }

    mutating func forget(_ name: MailboxName) { statuses[name] = nil }

    /// Something was changed, or the server says that something was.
    mutating func forget() { statuses = [:] }

    /// Whether a mailbox is as it was when it was read up to `cursor`.
    mutating func isUnchanged(_ name: MailboxName, since cursor: FeedCursor, now: Date) -> Bool {
        guard let (status, date) = statuses.removeValue(forKey: name),
            abs(now.timeIntervalSince(date)) <= Self.goodFor
        else { return false }
        // Labels and failures are not covered; callers compare them.
        return cursor.isComplete && cursor.modSeq > 0 && status.uidValidity == cursor.validity
            && status.uidNext == cursor.next && status.highestModSeq == cursor.modSeq
            && status.messages == cursor.exists
    }
}
