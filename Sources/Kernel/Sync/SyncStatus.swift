import FoundationEssentials
public import MailKernelAPI

/// What an account is doing, for people.
public struct SyncStatus: Sendable, Hashable {
    public enum Phase: String, Sendable {
        case idle, connecting, syncing, listening, waiting, failed
    }

    public var phase: Phase
    /// The progress of the current step.
    public var progress: SyncProgress?
    /// Of each mailbox that the round under way has read from.
    public var mailboxes: [Id<Mailbox>: SyncProgress]
    /// Why it failed or waits, in a sentence.
    public var problem: String?
    /// The service refused the sign-in, and has not accepted it since.
    public var isSignInRefused = false

    public static let idle = SyncStatus(.idle)

    init(
        _ phase: Phase, progress: SyncProgress? = nil, mailboxes: [Id<Mailbox>: SyncProgress] = [:],
        problem: String? = nil
    ) {
        self.phase = phase
        self.progress = progress
        self.mailboxes = mailboxes
        self.problem = problem
    }
}
