import FoundationEssentials
import MailKernelAPI

/// Lends connections, never more than the limit at once; further callers wait.
///
/// It also enforces pauses that the server asked for.
actor ConnectionPool {
    private struct Idle {
        let connection: IMAPConnection
        let since: Date
    }

    /// After this many idle seconds, a connection is tested before it is lent.
    private static let freshFor: Double = 10
    /// What a server that is there takes to answer to nothing.
    private static let answersWithin: Double = 10
    /// After this many seconds unused, a connection is closed.
    private static let keptFor: Double = 120
    /// Pauses after the server has asked for patience.
    private static let patience = RetrySchedule([15, 60, 300, 900], then: 3_600)
    /// Other programs of the user come and go: after this time one connection more is tried.
    private static let limitedFor: Double = 600

    private let signIn: SignIn
    private let clock: any HostClock
    private(set) var limit: Int
    private let most: Int
    private var limitedAt: Date?
    private var idle: [Idle] = []
    private var lent: [ObjectIdentifier: IMAPConnection] = [:]
    /// Lent connections that are watching, until another task needs them.
    private var watching: Set<ObjectIdentifier> = []
    private var opening = 0
    /// Whether any of those being opened has had another beside it, which may have ended by now.
    private var isCrowded = false
    private var waiters: [(id: Int, wake: CheckedContinuation<Void, Never>)] = []
    /// How many wait for a connection.
    var waiting: Int { waiters.count }
    private var lastWaiter = 0
    private var isClosed = false
    private var refusals = 0
    private var notBefore: Date?
    private var reaper: Task<Void, Never>?

    init(_ signIn: SignIn, limit: Int, clock: any HostClock) {
        self.signIn = signIn
        self.limit = max(1, limit)
        most = self.limit
        self.clock = clock
    }

    deinit { reaper?.cancel() }

    // MARK: Lending

    /// A working connection for exclusive use until it is returned.
    func lend(preferring mailbox: MailboxName?) async throws(AccountError) -> IMAPConnection {
        do throws(AccountError) {
            return try await next(preferring: mailbox)
        } catch {
            // A woken task that cannot continue wakes another.
            wakeOne()
            throw error
        }
    }

    private func next(preferring mailbox: MailboxName?) async throws(AccountError) -> IMAPConnection {
        while true {
            try check()
            if let connection = await takeIdle(preferring: mailbox) { return connection }
            // The state may have changed in between.
            try check()
            if !idle.isEmpty { continue }
            if lent.count + opening < limit {
                if let connection = try await open() { return connection }
            } else {
                await releaseWatchers()
                // A connection may have been returned in between.
                if idle.isEmpty, lent.count + opening >= limit { await wait() }
            }
        }
    }

    /// The same, for watching; nil if no connection would be left for reading.
    func lendToWatch(_ mailbox: MailboxName) async throws(AccountError) -> IMAPConnection? {
        try check()
        guard limit > 1 else { return nil }
        let connection = try await lend(preferring: mailbox)
        guard limit > 1 else {
            await giveBack(connection)
            return nil
        }
        watching.insert(ObjectIdentifier(connection))
        return connection
    }

    /// Waiting tasks need a connection more than watchers, unless one is about to become available.
    private func releaseWatchers() async {
        if opening == 0 { await endWatching() }
    }

    private func endWatching() async {
        for (id, connection) in lent where watching.contains(id) { await connection.endIdle() }
    }

    func giveBack(_ connection: IMAPConnection) async {
        let isUsable = await connection.isUsable
        if await connection.remarks.contains(.askedForPatience) { _ = backOff() }
        lent[ObjectIdentifier(connection)] = nil
        watching.remove(ObjectIdentifier(connection))
        if isUsable, !isClosed {
            idle.append(Idle(connection: connection, since: clock.now))
            startReaper()
        } else {
            await connection.close()
        }
        wakeOne()
    }

    private func check() throws(AccountError) {
        if isClosed || Task.isCancelled { throw .cancelled }
        if isPaused, let notBefore { throw .throttled(until: notBefore) }
        notBefore = nil
        if limit < most, let at = limitedAt, abs(clock.now.timeIntervalSince(at)) >= Self.limitedFor {
            limit += 1
            limitedAt = clock.now
        }
    }

    private func takeIdle(preferring mailbox: MailboxName?) async -> IMAPConnection? {
        while !idle.isEmpty {
            var chosen = idle.count - 1
            for (index, entry) in idle.enumerated() where await entry.connection.selected?.name == mailbox {
                // Others may have taken some while we looked.
                guard idle.indices.contains(index), idle[index].connection === entry.connection else { break }
                chosen = index
            }
            guard idle.indices.contains(chosen) else { continue }
            let entry = idle.remove(at: chosen)
            lent[ObjectIdentifier(entry.connection)] = entry.connection
            if await isGood(entry) { return entry.connection }
            lent[ObjectIdentifier(entry.connection)] = nil
            await entry.connection.close()
        }
        return nil
    }

    /// Servers close idle connections, some after an hour in any case. After a change of the network, nothing
    /// reports that.
    private func isGood(_ entry: Idle) async -> Bool {
        let age = abs(clock.now.timeIntervalSince(entry.since))
        if age < Self.freshFor { return true }
        // The computer slept, so the connection was not closed in time.
        if age >= Self.keptFor { return false }
        let answer = try? await entry.connection.perform(.noop, patience: Self.answersWithin)
        if await entry.connection.hasStalled {
            let others = idle
            idle = []
            for other in others { await other.connection.close() }
            // Watchers receive nothing there either.
            await endWatching()
        }
        return answer?.isOK == true
    }

    /// A new connection; nil if the server has enough of them, and one that is there has to do.
    private func open() async throws(AccountError) -> IMAPConnection? {
        opening += 1
        if opening > 1 { isCrowded = true }
        defer {
            opening -= 1
            if opening == 0 { isCrowded = false }
        }
        do throws(SignInFailure) {
            let connection = try await signIn.open()
            guard !isClosed else {
                await connection.close()
                throw SignInFailure.account(.cancelled)
            }
            lent[ObjectIdentifier(connection)] = connection
            refusals = 0
            return connection
        } catch {
            switch error {
            case .account(.throttled(until: nil)): throw .throttled(until: backOff())
            case .account(let error): throw error
            case .tooManyConnections:
                // Two that are opened at once may be refused because of one another.
                let others = lent.count + idle.count + (isCrowded ? 1 : 0)
                guard others > 0 else { throw .throttled(until: backOff()) }
                limit = min(limit, others)
                limitedAt = clock.now
                wakeOne()
                return nil
            }
        }
    }

    // MARK: Waiting

    private func wait() async {
        lastWaiter += 1
        let id = lastWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                if Task.isCancelled || isClosed {
                    wake.resume()
                } else {
                    waiters.append((id, wake))
                }
            }
        } onCancel: {
            Task { await self.wake(id) }
        }
    }

    private func wake(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).wake.resume()
    }

    private func wakeOne() {
        if !waiters.isEmpty { waiters.removeFirst().wake.resume() }
    }

    // MARK: Patience

    /// Further ahead than the longest pause it was noted before the clock was set back.
    private var isPaused: Bool {
        guard let left = notBefore?.timeIntervalSince(clock.now) else { return false }
        return left > 0 && left <= Self.patience.longest
    }

    /// The server asked for patience: how long nothing is tried, longer each time.
    func backOff() -> Date {
        // One answer may be understood in several places.
        if isPaused, let notBefore { return notBefore }
        refusals += 1
        let until = clock.now + (Self.patience.pause(after: refusals) ?? Self.patience.longest)
        notBefore = until
        return until
    }

    // MARK: Closing

    /// Connections that have this mailbox selected and are not used now: it is renamed or deleted.
    func dropIdle(selecting mailbox: MailboxName) async {
        let all = idle
        for entry in all where await entry.connection.selected?.name == mailbox {
            idle.removeAll { $0.connection === entry.connection }
            await entry.connection.close()
        }
    }

    private func startReaper() {
        guard reaper == nil else { return }
        // Weak, so that an unused session is released together with its connections.
        reaper = Task { [weak self, clock] in
            while (try? await clock.sleep(for: Self.keptFor)) != nil {
                guard let self, await self.closeOld() else { return }
            }
        }
    }

    /// Closes idle connections; false if none are left.
    private func closeOld() async -> Bool {
        let old = idle.filter { clock.now.timeIntervalSince($0.since) >= Self.keptFor }
        idle.removeAll { entry in old.contains { $0.connection === entry.connection } }
        if idle.isEmpty { reaper = nil }
        for entry in old { await entry.connection.close() }
        return reaper != nil
    }

    func close() async {
        isClosed = true
        reaper?.cancel()
        let all = idle.map(\.connection) + lent.values
        idle = []
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.wake.resume() }
        for connection in all { await connection.close() }
    }
}
