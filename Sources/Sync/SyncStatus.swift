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

    /// What ends a problem.
    package enum Remedy: String, Sendable {
        /// The user signs in again.
        case signIn
        /// The user unlocks the secret store.
        case unlock
        /// The service asked to wait.
        case wait
        /// There is a network again.
        case network
        /// Another try, now or later.
        case retry
    }

    /// The progress of the current step.
    package var progress: SyncProgress?
    /// Of each mailbox that the round under way has read from.
    package var mailboxes: [Id<Mailbox>: SyncProgress]
    /// Why it failed or waits, in a sentence.
    package var problem: String?
    /// Nil without a problem.
    package var remedy: Remedy?
    /// When the next try is due after a problem, if it is known.
    package var retryAt: Date?
    /// When all there is was read last, in this run of the program.
    package var syncedAt: Date?
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
    /// - Parameter error: why it failed or waits.
    package init(_ phase: Phase, because error: any Error, retryAt: Date? = nil) {
        self.init(phase, problem: RoundFailures.sentence(error))
        remedy = Remedy(for: error)
        self.retryAt = retryAt
    }

    /// The same, with what stays known from the status before.
    ///
    /// - Parameter isSignInRefused: nil if that is not known: a refused sign-in is tried a few times more.
    func after(_ before: SyncStatus, isSignInRefused: Bool? = nil) -> SyncStatus {
        var status = self
        status.isSignInRefused = isSignInRefused ?? before.isSignInRefused
        return status
    }
}

extension SyncStatus.Remedy {
    init(for error: any Error) {
        let error = (error as? UnreadFeed)?.error ?? error as? AccountError
        switch error?.retry {
        case .afterSignIn: self = .signIn
        case .afterUnlocking: self = .unlock
        case .notBefore: self = .wait
        case .onSchedule, .never, nil:
            self =
                switch error {
                case .throttled: .wait
                case let error? where error.scope == .network: .network
                default: .retry
                }
        }
    }
}
