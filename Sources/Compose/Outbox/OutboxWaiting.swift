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
        case .afterUnlocking where states[accountID]?.isAsked != true:
            return wait(for: accountID, seconds: RetrySchedule.longestHold, OutboxAccount.Hold.unlocking)
        case .afterSignIn:
            var refusal = states[accountID]?.refused ?? RefusedSending(sync: sync)
            // After a new sign-in, counting starts over.
            if refusal.sync !== sync { refusal = RefusedSending(sync: sync) }
            refusal.count += 1
            let pause = RetrySchedule.signIn.pause(after: refusal.count)
            states[accountID]?.refused = pause == nil ? nil : refusal
            if let pause { return wait(for: accountID, seconds: pause) }
            // Queued messages wait until the user has signed in again.
            await accounts.deactivate(accountID, because: error, after: sync)
            return wait(for: accountID)
        case .afterUnlocking, .onSchedule, .never:
            return wait(for: accountID)
        }
    }

    func wait(
        for accountID: Id<Account>, seconds: Double = lookAgain,
        _ hold: (Double) -> OutboxAccount.Hold = OutboxAccount.Hold.retry
    ) -> Date {
        states[accountID]?.hold = hold(uptime.uptime + seconds)
        return clock.now.addingTimeInterval(seconds)
    }

    /// Retries at once, including accounts that wait for the user.
    func goOn(_ accountID: Id<Account>) {
        states[accountID, default: OutboxAccount()].isAsked = true
        guard case .unlocking = states[accountID]?.hold else { return }
        states[accountID]?.hold = nil
        changed()
    }

    /// Nothing is kept about a submission that nothing happens to.
    func set(_ id: Id<EmailSubmission>, _ change: (inout OutboxSubmission) -> Void) {
        var submission = submissions[id] ?? OutboxSubmission()
        change(&submission)
        submissions[id] = submission.isOver ? nil : submission
    }

    /// Begins to change or send a submission, if that is possible now. Returns its state before.
    func take(_ id: Id<EmailSubmission>, as state: OutboxSubmission.State) -> OutboxSubmission.State? {
        let before = submissions[id] ?? OutboxSubmission()
        guard before.isFree else {
            if state == .sending { set(id) { $0.wasPassedOver = true } }
            return nil
        }
        set(id) { $0.state = state }
        return before.state
    }

    /// Ends what `take` began, unless it has ended already.
    func giveBack(_ id: Id<EmailSubmission>, _ before: OutboxSubmission.State) {
        let wasPassedOver = submissions[id]?.wasPassedOver == true
        set(id) {
            if !$0.isFree { $0.state = before }
            $0.wasPassedOver = false
        }
        // A round that passes it over names no time for it.
        if wasPassedOver { changed() }
    }
}
