import FoundationEssentials
import MailKernelAPI
import Store

/// How often an account's rounds have failed since the last one that succeeded, and when the next is due.
struct RoundFailures {
    private var rounds = 0
    private var signIns = 0
    /// Rounds that read all but some mailboxes.
    private var mailboxes = 0

    /// - Parameters:
    ///   - isAsked: whether the user has requested another round.
    ///   - pushAt: when a pending change is due.
    /// - Returns: nil if nothing should be tried any more.
    mutating func next(
        after error: any Error, isAsked: Bool, pushAt: Date?, at now: Date
    ) -> (hold: SyncWork.Hold, seconds: Double)? {
        if error is UnreadFeed {
            mailboxes += 1
            // All the rest was read: the sign-in was accepted.
            signIns = 0
            let due = max(5, pushAt?.timeIntervalSince(now) ?? .infinity)
            return (.none, min(RetrySchedule.mailbox.pause(after: mailboxes) ?? due, due))
        }
        let retry = (error as? AccountError)?.retry
        switch retry {
        case .afterSignIn:
            signIns += 1
            guard let pause = RetrySchedule.signIn.pause(after: signIns) else { return nil }
            return (.until(now + pause), pause)
        case .afterUnlocking where !isAsked:
            let seconds = RetrySchedule.longestHold
            return (.unlocking(until: now + seconds), seconds)
        case .afterUnlocking, .notBefore, .onSchedule, .never, nil:
            rounds += 1
            guard let pause = RetrySchedule.account.pause(after: rounds) else { return nil }
            guard case .notBefore(let until) = retry else { return (.none, pause) }
            let seconds = min(max(until.timeIntervalSince(now), pause), RetrySchedule.longestHold)
            return (.until(now + seconds), seconds)
        }
    }

    /// What the user reads.
    static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as AccountError: error.sentence
        case let error as StorageError: error.sentence
        case let error as UnreadFeed: error.sentence
        default: "\(error)"
        }
    }
}
