public import MailKernelAPI

extension MailboxCounts {
    /// Adds the counts that a thread contributes, `factor` times: -1 takes them away again.
    public mutating func add(_ other: MailboxCounts, times factor: Int) {
        totalEmails += factor * other.totalEmails
        unreadEmails += factor * other.unreadEmails
        totalThreads += factor * other.totalThreads
        unreadThreads += factor * other.unreadThreads
    }
}
