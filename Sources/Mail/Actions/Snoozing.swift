import FoundationEssentials
import MailKernelAPI
import Store

/// Returns snoozed messages to the inbox: when their time has come, or a newer message of their conversation has. And
/// conversations with a reminder, when there is no reply in time.
///
/// The time is that of the wall clock. What came due while the computer slept or the program was not running returns on
/// resume or at the start. Of several kernels, the one that looks after the account does this.
package actor Snoozing {
    private enum Signal {
        /// Something may be due.
        case look
        /// All is as it was left when the program ended, or another kernel.
        case begin
        /// Mail has arrived in these accounts.
        case mail(Set<Id<Account>>)
        /// Mail that reminders are about may have changed.
        case changed
        case settle(CheckedContinuation<Void, Never>)
    }

    /// The longest wait for the clock, which may be set, and stands still while the computer sleeps.
    private static let step = 4.0
    private static let afterFailure = 30.0
    /// How long to wait for changes to reach the service: longer and longer, as it may be offline for days.
    private static let untilAtRest = 4.0...240.0

    private let store: MailStore
    private let mail: MailActions
    private let clock: any HostClock
    private let log: LogOutput
    private let signals: AsyncStream<Signal>
    private let signal: AsyncStream<Signal>.Continuation
    private var work: Task<Void, Never>?
    private var listening: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    /// The accounts that have reminders.
    private var reminded: Set<Id<Account>> = []
    /// Since when it is not certain what becomes of a reminder, by account.
    private var unsureSince: [Id<Account>: Date] = [:]
    /// Whether changed mail waits for a look, so that a long sync does not ask for one with each of its steps.
    private var isChanged = false
    /// Whether a look was asked for and has not begun, so that a large action does not ask for one with each of its steps.
    private var isLookWanted = false

    package init(store: MailStore, mail: MailActions, clock: any HostClock, log: LogOutput) {
        self.store = store
        self.mail = mail
        self.clock = clock
        self.log = log
        (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    }

    package func start() {
        guard work == nil else { return }
        let news = store.news.listen()
        listening = Task {
            for await states in news {
                noteChanges(Set(states.keys.filter { $0.type == .email }.compactMap(\.accountID)))
                let delivered = states.keys.filter { $0.type == .emailDelivery }.compactMap(\.accountID)
                if !delivered.isEmpty { signal.yield(.mail(Set(delivered))) }
                let own = [Snooze.dataType, Reminder.dataType, .submission]
                if states.keys.contains(where: { own.contains($0.type) }) { wantLook() }
            }
        }
        work = Task {
            for await signal in signals {
                switch signal {
                case .look:
                    isLookWanted = false
                    await look(atMailOf: [])
                case .begin: await look(atMailOf: nil)
                case .mail(let accounts): await look(atMailOf: accounts)
                case .changed:
                    isChanged = false
                    await look(atMailOf: [])
                case .settle(let done):
                    await look(atMailOf: [])
                    done.resume()
                }
            }
        }
        signal.yield(.begin)
    }

    package func stop() async {
        listening?.cancel()
        alarm?.cancel()
        signal.finish()
        await work?.value
    }

    /// This kernel looks after another account from now on.
    package func turnBegan() { signal.yield(.begin) }

    /// Returns once everything that is due now has returned.
    package func settle() async {
        guard work != nil else { return }
        await withCheckedContinuation { done in
            if case .terminated = signal.yield(.settle(done)) { done.resume() }
        }
    }

    private func wantLook() {
        guard !isLookWanted else { return }
        isLookWanted = true
        signal.yield(.look)
    }

    private func noteChanges(_ accounts: Set<Id<Account>>) {
        for account in accounts { unsureSince[account] = nil }
        guard !isChanged, !reminded.isDisjoint(with: accounts) else { return }
        isChanged = true
        signal.yield(.changed)
    }

    /// - Parameter delivered: the accounts in which mail has arrived; nil for any.
    private func look(atMailOf delivered: Set<Id<Account>>?) async {
        var next: Date?
        do {
            for account in try await store.read.accounts() {
                let again = await wake(account.id, withMail: delivered?.contains(account.id) ?? true)
                if let again { next = min(next ?? again, again) }
            }
        } catch {
            next = failed(error)
        }
        setAlarm(next)
    }

    /// Trouble with one account does not delay the others. Returns when to look again.
    private func wake(_ accountID: Id<Account>, withMail: Bool) async -> Date? {
        guard let store = store.lookingAfter(accountID) else { return nil }
        do {
            let wakes = try await Waking(accountID: accountID, store: store, mail: mail, now: clock.now)
                .wake(withMail: withMail)
            let reminding = try await remind(accountID, store)
            return [wakes, reminding].compactMap { $0 }.min()
        } catch {
            return failed(error)
        }
    }

    private func remind(_ accountID: Id<Account>, _ store: MailStore) async throws -> Date? {
        let now = clock.now
        let waited = unsureSince[accountID].map { now.timeIntervalSince($0) } ?? 0
        let pause = min(max(waited, Self.untilAtRest.lowerBound), Self.untilAtRest.upperBound)
        let found = try await Reminding(
            accountID: accountID, store: store, mail: mail, now: now, untilAtRest: pause
        ).remind()
        reminded.formSymmetricDifference(
            found.isWaiting == reminded.contains(accountID) ? [] : [accountID])
        unsureSince[accountID] = found.isUnsure ? unsureSince[accountID] ?? now : nil
        return found.next
    }

    private func failed(_ error: any Error) -> Date {
        if !error.isLostLease {
            let reason =
                (error as? StorageError)?.sentence ?? (error as? ActionProblem)?.sentence ?? "\(error)"
            log.write(
                .warning, "mailkernel",
                "Snoozed messages or reminders could not be moved to the inbox. \(reason)")
        }
        return clock.now.addingTimeInterval(Self.afterFailure)
    }

    private func setAlarm(_ date: Date?) {
        alarm?.cancel()
        guard let date else { return }
        alarm = Task { [clock, signal] in
            while clock.now < date {
                let next = min(date, clock.now.addingTimeInterval(Self.step))
                guard (try? await clock.sleep(until: next)) != nil else { return }
            }
            signal.yield(.look)
        }
    }
}
