import MailKernelAPI
import Store

/// Tells one sink what to show, one call at a time: a plugin that does not return delays only its own queue.
actor SinkQueue {
    struct Post: Sendable {
        let notification: MailNotification
        /// It says nothing of what the app lock keeps.
        let isClosed: Bool
        /// Called with whether the sink has shown it, unless it is withdrawn or replaced before.
        var tried: (@Sendable (Bool) async -> Void)?
    }

    /// How often a plugin is tried that has not returned from an earlier call, in seconds.
    private static let retry = 5.0

    private let sink: ContainedSink
    private let appLock: AppLock
    private let clock: any HostClock
    private let log: LogOutput
    private var posts: [Post] = []
    /// What may be on the desktop and must go.
    private(set) var leaving: Set<Id<MailNotification>> = []
    private var badge: Int?
    private var work: Task<Void, Never>?

    init(_ sink: ContainedSink, appLock: AppLock, clock: any HostClock, log: LogOutput) {
        self.sink = sink
        self.appLock = appLock
        self.clock = clock
        self.log = log
    }

    func post(_ post: Post) {
        posts.removeAll { $0.notification.id == post.notification.id }
        posts.append(post)
        begin()
    }

    func withdraw(_ ids: [Id<MailNotification>]) {
        posts.removeAll { ids.contains($0.notification.id) }
        leaving.formUnion(ids)
        begin()
    }

    func setBadge(_ count: Int) {
        badge = count
        begin()
    }

    /// Withdraws these and all that was waiting to be withdrawn, and shows nothing more.
    func stop(withdrawing ids: [Id<MailNotification>]) async {
        (posts, badge) = ([], nil)
        work?.cancel()
        await work?.value
        leaving.formUnion(ids)
        await withdrawLeaving()
        try? await sink.setBadge(0)
    }

    private func begin() {
        guard work == nil else { return }
        work = Task { await run() }
    }

    private func run() async {
        while !Task.isCancelled, !(posts.isEmpty && leaving.isEmpty && badge == nil) {
            await withdrawLeaving()
            if !posts.isEmpty {
                await postNext()
            } else if let count = badge {
                badge = nil
                if await sink.features.contains(.badge) { try? await sink.setBadge(count) }
            } else if !leaving.isEmpty {
                try? await clock.sleep(for: Self.retry)
            }
        }
        work = nil
    }

    /// Kept for another try if an earlier call has not returned: it may still show them.
    private func withdrawLeaving() async {
        guard !leaving.isEmpty else { return }
        let ids = leaving
        // Asked before, too: the earlier call may return while this one is refused because of it.
        let wasSilent = sink.isSilent
        let isDone = (try? await sink.withdraw(ids.sorted { $0.rawValue < $1.rawValue })) != nil
        if isDone || !wasSilent && !sink.isSilent { leaving.subtract(ids) }
    }

    private func postNext() async {
        let isPermitted = await isPermitted()
        let isLocking = await appLock.isOn
        // From here to the call nothing is awaited: it was neither withdrawn nor locked away meanwhile.
        guard let next = posts.first else { return }
        // An earlier one of the same id goes first, or its end would be the end of this one.
        if isPermitted, leaving.contains(next.notification.id) { return }
        posts.removeFirst()
        guard isPermitted else {
            await next.tried?(false)
            return
        }
        // It is about to be withdrawn.
        guard next.isClosed || !isLocking else { return }
        do {
            try await sink.post(next.notification)
            await next.tried?(true)
        } catch {
            log.write(.info, "mailkernel", "A notification could not be shown: \(error)")
            await next.tried?(false)
        }
    }

    private func isPermitted() async -> Bool {
        let permission = await sink.permission()
        // Asked when there is something to show, and not before.
        guard permission == .undecided else { return permission == .granted }
        do {
            return try await sink.requestPermission() == .granted
        } catch {
            log.write(.info, "mailkernel", "A notification could not be shown: \(error)")
            return false
        }
    }
}
