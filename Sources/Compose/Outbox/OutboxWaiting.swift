import FoundationEssentials
import MailKernelAPI
import Sync

/// What becomes of mail whose account cannot send for now.
extension Outbox {
    /// - Returns: when to try again.
    func wait(for sync: AccountSync, because error: AccountError) async -> Date {
        let accountID = sync.accountID
        switch error.retry {
        case .notBefore(let until):
            let seconds = min(until.timeIntervalSince(clock.now), RetrySchedule.longestHold)
            // A time in the past must not cause endless attempts without a pause.
            return wait(for: accountID, seconds: seconds > 0 ? seconds : Self.lookAgain)
        // Each try asks the user to unlock the secret store.
        case .afterUnlocking where !asked.contains(accountID):
            return wait(for: accountID, seconds: RetrySchedule.longestHold, isForUser: true)
        case .afterSignIn:
            var refusal = refusals[accountID] ?? RefusedSending(sync: sync)
            // After a new sign-in, counting starts over.
            if refusal.sync !== sync { refusal = RefusedSending(sync: sync) }
            refusal.count += 1
            let pause = RetrySchedule.signIn.pause(after: refusal.count)
            refusals[accountID] = pause == nil ? nil : refusal
            if let pause { return wait(for: accountID, seconds: pause) }
            // Queued messages wait until the user has signed in again.
            await accounts.deactivate(accountID, because: error, after: sync)
            return wait(for: accountID)
        case .afterUnlocking, .onSchedule, .never:
            return wait(for: accountID)
        }
    }

    func wait(
        for accountID: Id<Account>, seconds: Double = lookAgain, isForUser: Bool = false
    ) -> Date {
        waiting[accountID] = Hold(until: uptime.uptime + seconds, isForUser: isForUser)
        return clock.now.addingTimeInterval(seconds)
    }

    /// Retries at once, including accounts that wait for the user.
    func goOn(_ accountID: Id<Account>) {
        asked.insert(accountID)
        guard waiting[accountID]?.isForUser == true else { return }
        waiting[accountID] = nil
        changed()
    }
}

/// How often one and the same sign-in was refused when something was to be sent.
struct RefusedSending {
    let sync: AccountSync
    var count = 0
}
