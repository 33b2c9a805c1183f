import MailKernelAPI
import PluginCalls

/// A notification sink whose calls block nothing else: see `PluginCaller`.
struct ContainedSink: Sendable {
    private let inner: any NotificationSink
    private let caller: PluginCaller
    private let listing: Listing<NotificationPermission>

    init(_ inner: any NotificationSink, _ caller: PluginCaller) {
        self.inner = inner
        self.caller = caller
        listing = Listing(caller.calls) {
            guard !caller.isSilent else { return nil }
            return try? await caller.call(.permission) { _ throws(NotificationError) in
                await inner.permission()
            }.get()
        }
    }

    /// Whether an abandoned call has not returned yet.
    var isSilent: Bool { caller.isSilent }

    /// The last known permission if the plugin does not respond at once; nil if it never did.
    func shownPermission() async -> NotificationPermission? { await listing.answer() }

    /// Empty if the plugin does not respond.
    var features: NotificationFeatures {
        get async {
            (try? await call(.notificationFeatures) { [inner] () async throws(NotificationError) in
                await inner.features
            }) ?? []
        }
    }

    func permission() async -> NotificationPermission {
        (try? await call(.permission) { [inner] () async throws(NotificationError) in
            await inner.permission()
        }) ?? .unavailable
    }

    func requestPermission() async throws(NotificationError) -> NotificationPermission {
        try await call(.requestPermission) { [inner] () async throws(NotificationError) in
            try await inner.requestPermission()
        }
    }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        try await call(.post) { [inner] () async throws(NotificationError) in
            try await inner.post(notification)
        }
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {
        try await call(.withdraw) { [inner] () async throws(NotificationError) in
            try await inner.withdraw(ids)
        }
    }

    func setBadge(_ count: Int) async throws(NotificationError) {
        try await call(.setBadge) { [inner] () async throws(NotificationError) in
            try await inner.setBadge(count)
        }
    }

    func actions() -> AsyncStream<NotificationResponse> {
        AsyncStream(bufferingPolicy: .bufferingOldest(100)) { [inner, caller] responses in
            let reader = Task(executorPreference: caller.threads) {
                for await response in inner.actions() { responses.yield(response) }
                responses.finish()
            }
            responses.onTermination = { _ in reader.cancel() }
        }
    }

    private func call<Answer: Sendable>(
        _ kind: PluginCallKind, _ body: @escaping @Sendable () async throws(NotificationError) -> Answer
    ) async throws(NotificationError) -> Answer {
        // Calls come one at a time, so each would have to wait until its deadline.
        guard !caller.isSilent else { throw .unavailable(reason: "an earlier call has not returned") }
        let result: Result<Answer, NotificationError>
        do throws(PluginCaller.Unanswered) {
            result = try await caller.call(kind) { _ throws(NotificationError) in try await body() }
        } catch {
            throw .unavailable(reason: error.sentence)
        }
        return try result.mapError(\.held).get()
    }
}
