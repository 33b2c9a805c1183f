import FoundationEssentials
import MailKernelAPI

/// Keeps one account in step with its service: tells it what was changed here, then reads what changed
/// there, round after round. One round at a time, so neither half meets the other half done.
actor AccountSync {
    nonisolated let account: Account
    nonisolated let session: any AccountSession

    private let store: MailStore
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput

    private(set) var status = SyncStatus(.idle)
    private var loop: Task<Void, Never>?
    private var watcher: Task<Void, Never>?
    private var isWanted = true
    private var wake: CheckedContinuation<Void, Never>?
    private var settled: [CheckedContinuation<Void, Never>] = []
    private var isStopping = false

    init(
        account: Account, session: any AccountSession, store: MailStore, ids: IDMaker, clock: any HostClock,
        log: LogOutput
    ) {
        self.account = account
        self.session = session
        self.store = store
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    func start() {
        guard loop == nil else { return }
        loop = Task { await run() }
    }

    func stop() async {
        isStopping = true
        loop?.cancel()
        watcher?.cancel()
        resumeWake()
        await loop?.value
        await watcher?.value
        await session.close()
    }

    /// Something changed, here or there: a round is due.
    func changed() {
        isWanted = true
        resumeWake()
    }

    /// Returns once the rounds that are due now are done.
    func settle() async {
        guard !isStopping, isWanted || status.phase == .syncing || status.phase == .connecting else { return }
        await withCheckedContinuation { settled.append($0) }
    }

    private func run() async {
        var pauses = RetryPauses()
        while !Task.isCancelled {
            isWanted = false
            do {
                try await round()
                pauses = RetryPauses()
                setStatus(SyncStatus(.listening))
            } catch is CancellationError {
                break
            } catch {
                let problem = Self.sentence(error)
                log.write(
                    .warning, account.pluginID, "An account could not be brought up to date. \(problem)")
                setStatus(SyncStatus(.waiting, problem: problem))
                wakeLater(after: pauses.next())
            }
            if !isWanted { await pause() }
        }
        resumeSettled()
        setStatus(SyncStatus(.idle))
    }

    private func round() async throws {
        setStatus(SyncStatus(.connecting))
        watch()
        try await MailboxSync(account: account, session: session, store: store, ids: ids).update()
        try await MutationPush(account: account, session: session, store: store, clock: clock, log: log)
            .push()
        setStatus(SyncStatus(.syncing))
        let map = try await RemoteMap.load(account.id, from: store)
        for feed in map.feeds.sorted(by: { ($0.priority, $0.id) < ($1.priority, $1.id) }) {
            try Task.checkCancellation()
            let reader = FeedSync(
                account: account, session: session, store: store, ids: ids, clock: clock, log: log,
                feed: feed,
                isLocal: map.features.contains(.local))
            try await reader.read { progress in await self.report(progress) }
        }
    }

    private func report(_ progress: SyncProgress?) {
        setStatus(SyncStatus(.syncing, progress: progress))
    }

    private func setStatus(_ new: SyncStatus) {
        guard new != status else { return }
        status = new
        store.news.publish([.init(.syncStatus, in: account.id, State(rawValue: ids.text("S")))])
    }

    /// Listens for changes while the program runs, from before the first reading on, so that none falls
    /// in between.
    private func watch() {
        guard watcher == nil else { return }
        watcher = Task { [session, weak self] in
            do {
                for try await _ in session.watch() { await self?.changed() }
            } catch {
                // The next round says what is wrong, if anything still is.
            }
            await self?.stoppedWatching()
        }
    }

    private func stoppedWatching() {
        watcher = nil
    }

    private func pause() async {
        resumeSettled()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isWanted || Task.isCancelled { continuation.resume() } else { wake = continuation }
            }
        } onCancel: {
            Task { await self.resumeWake() }
        }
    }

    private func wakeLater(after seconds: Double) {
        Task { [clock, weak self] in
            try? await clock.sleep(for: seconds)
            await self?.changed()
        }
    }

    private func resumeWake() {
        wake?.resume()
        wake = nil
    }

    private func resumeSettled() {
        for continuation in settled { continuation.resume() }
        settled = []
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as AccountError: error.sentence
        case let error as StorageError: error.sentence
        default: "\(error)"
        }
    }
}

extension DataType {
    /// What the accounts are doing: it changes with the running program only.
    public static let syncStatus = DataType(rawValue: "SyncStatus")
}

/// How long to wait before the next try: 5, 15 and 45 seconds, then every two minutes.
struct RetryPauses: Sendable {
    private var steps: [Double] = [5, 15, 45]

    mutating func next() -> Double { steps.isEmpty ? 120 : steps.removeFirst() }
}
