import FoundationEssentials
public import MailKernelAPI

/// What an account is doing, for people.
public struct SyncStatus: Sendable, Hashable {
    public enum Phase: String, Sendable {
        case idle, connecting, syncing, listening, waiting, failed
    }

    public var phase: Phase
    /// Of the round under way.
    public var progress: SyncProgress?
    /// Why it failed or waits, in a sentence.
    public var problem: String?

    public static let idle = SyncStatus(.idle)

    init(_ phase: Phase, progress: SyncProgress? = nil, problem: String? = nil) {
        self.phase = phase
        self.progress = progress
        self.problem = problem
    }
}
