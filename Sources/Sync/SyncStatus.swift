import FoundationEssentials
import MailKernelAPI

/// What an account is doing, for people.
package struct SyncStatus: Sendable, Hashable {
    package enum Phase: String, Sendable {
        case idle, connecting, syncing, listening, waiting, failed
    }

    package var phase: Phase
    /// Which computer looks after an account, on a store that several share.
    package enum Turn: String, Sendable {
        case here, elsewhere
        /// Another one, because this one has no sign-in.
        case signInNeeded
    }

    /// The progress of the current step.
    package var progress: SyncProgress?
    /// Of each mailbox that the round under way has read from.
    package var mailboxes: [Id<Mailbox>: SyncProgress]
    /// Why it failed or waits, in a sentence.
    package var problem: String?
    /// The service refused the sign-in, and has not accepted it since.
    package var isSignInRefused = false
    /// Nil if the store is this kernel's alone, or does not respond for the account.
    package var turn: Turn?

    package static let idle = SyncStatus(.idle)

    package init(
        _ phase: Phase, progress: SyncProgress? = nil, mailboxes: [Id<Mailbox>: SyncProgress] = [:],
        problem: String? = nil
    ) {
        self.phase = phase
        self.progress = progress
        self.mailboxes = mailboxes
        self.problem = problem
    }
}
