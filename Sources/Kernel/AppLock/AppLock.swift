import Accounts
import Care
import FoundationEssentials
import MailKernelAPI
import Secrets
import Store
import Synchronization

/// Denies access until the user has authenticated: from the start, and again after the screen was locked or
/// the computer slept, after no window was open for some seconds, or none was visible for the time the user
/// chose.
///
/// It stays locked if anything fails.
package actor AppLock {
    package static let dataType = DataType(rawValue: "AppLock")
    /// Longer than reloading a window takes.
    static let absence = 5.0
    /// After unlocking a page may take as long to open its window.
    static let arrival = 30.0
    private static let mostWaiting = 4

    package enum Answer: Sendable, Hashable {
        case right
        case wrong
        /// The password cannot be checked; the reason is for the user.
        case unavailable(reason: String)
        /// So many answers wait to be looked at that this one was not.
        case tooMany
    }

    private let preferences: Preferences
    private let presence: Presence
    private let proof: any UserProof
    private let news: StateNews
    private let clock: any HostClock
    private let screenLocks: @Sendable () -> AsyncStream<Void>
    private let closed = Mutex(false)
    private var isEnabled = false
    private var revision = 0
    private var failures = 0
    private var waiting = 0
    private var watch: Task<Void, Never>?
    /// Follows the screen while the lock is on.
    private var screen: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var awaited: Absence?

    /// What the alarm waits for.
    private enum Absence {
        case closed, hidden
    }

    init(
        store: MailStore, presence: Presence, proof: any UserProof, clock: any HostClock,
        program: ProgramAccess
    ) {
        preferences = Preferences(store)
        news = store.news
        self.presence = presence
        self.proof = proof
        self.clock = clock
        screenLocks = program.screenLocks
    }

    /// Only clients with the user's permission have access.
    package nonisolated var isLocked: Bool { closed.withLock { $0 } }
    package var state: State { news.state(revision) }

    /// Locks, if the setting is on. Must be called before requests are served.
    package func begin() async {
        do {
            isEnabled = try await preferences.value(.appLock).boolValue ?? true
        } catch {
            // Who cannot be asked is taken to have wanted it.
            isEnabled = true
        }
        if isEnabled { lock() }
        followScreen()
        let changes = news.listen()
        watch = Task { [weak self] in
            for await states in changes where states.keys.contains(where: { $0.type == Presence.dataType }) {
                await self?.windowsChanged()
            }
        }
    }

    func stop() {
        watch?.cancel()
        screen?.cancel()
        alarm?.cancel()
    }

    package func unlock(_ password: Secret) async -> Answer {
        let answer = await check(password)
        if answer == .right, isLocked {
            closed.withLock { $0 = false }
            changed()
            setAlarm(Self.arrival, .closed)
        }
        return answer
    }

    /// Turns it on or off, once the user has proven that they can unlock.
    package func setEnabled(_ isEnabled: Bool, _ password: Secret) async throws -> Answer {
        let answer = await check(password)
        guard answer == .right, self.isEnabled != isEnabled else { return answer }
        try await preferences.setAppLock(isEnabled)
        self.isEnabled = isEnabled
        followScreen()
        changed()
        // Turned on where no window is open, none will ever close.
        await windowsChanged()
        return answer
    }

    package var isOn: Bool { isEnabled }
    /// Why it cannot be turned on, as far as that can be told before.
    package nonisolated var problem: String? { proof.problem }

    /// So many answers wait to be looked at that the next one is not.
    var isBusy: Bool { waiting >= Self.mostWaiting }

    // MARK: Wrong answers

    private func check(_ password: Secret) async -> Answer {
        guard waiting < Self.mostWaiting else { return .tooMany }
        waiting += 1
        defer { waiting -= 1 }
        // Answers under way count as wrong ones: trying many at once gains nothing. One wrong answer is free.
        let wrong = failures + waiting - 1
        if wrong > 1, let pause = RetrySchedule.guessing.pause(after: wrong - 1),
            (try? await clock.sleep(for: pause)) == nil
        {
            return .tooMany
        }
        switch await proof.check(password) {
        case .proven:
            failures = 0
            return .right
        case .wrong:
            failures += 1
            return .wrong
        case .unavailable(let reason): return .unavailable(reason: reason)
        }
    }

    // MARK: Screen

    private func followScreen() {
        guard isEnabled else {
            screen?.cancel()
            screen = nil
            return
        }
        guard screen == nil else { return }
        let locks = screenLocks()
        screen = Task { [weak self] in
            for await _ in locks { await self?.screenLocked() }
        }
    }

    private func screenLocked() {
        if isEnabled, !isLocked { lock() }
    }

    // MARK: Windows

    private func windowsChanged() async {
        guard isEnabled, !isLocked, await !presence.isAnyVisible else { return endAlarm() }
        if await !presence.isAnyOpen {
            if awaited != .closed { setAlarm(Self.absence, .closed) }
        } else if awaited != .hidden {
            // Where it cannot be read, the user is taken to have wanted the shortest.
            let minutes = (try? await preferences.value(.appLockDelay))?.intValue ?? 1
            minutes > 0 ? setAlarm(Double(minutes) * 60, .hidden) : endAlarm()
        }
    }

    private func setAlarm(_ seconds: Double, _ absence: Absence) {
        alarm?.cancel()
        guard isEnabled else { return endAlarm() }
        awaited = absence
        alarm = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: seconds)) != nil else { return }
            await self?.lockIfStill(absence)
        }
    }

    private func endAlarm() {
        alarm?.cancel()
        alarm = nil
        awaited = nil
    }

    private func lockIfStill(_ absence: Absence) async {
        guard awaited == absence else { return }
        let isAbsent =
            switch absence {
            case .closed: await !presence.isAnyOpen
            case .hidden: await !presence.isAnyVisible
            }
        alarm = nil
        awaited = nil
        if isAbsent, isEnabled { lock() } else { await windowsChanged() }
    }

    private func lock() {
        closed.withLock { $0 = true }
        changed()
    }

    private func changed() {
        revision += 1
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }
}
