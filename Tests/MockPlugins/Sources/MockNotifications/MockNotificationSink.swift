import MailKernelAPI
import MailKernelConformance

/// The reference sink, misbehaving as told.
struct MockNotificationSink: NotificationSink {
    private let real: MemoryNotificationSink
    private let calls: Misbehavior<NotificationError>

    init(host: HostServices) {
        real = MemoryNotificationPlugin.notificationSink(host: host)
        calls = Misbehavior(
            host, failure: .unavailable(reason: "The mock was told to fail."),
            cancelled: .unavailable(reason: "The task was cancelled."))
    }

    var features: NotificationFeatures {
        get async { await calls.perform(quietly: "features") { real.features } }
    }

    func permission() async -> NotificationPermission {
        await calls.perform(quietly: "permission") { await real.permission() }
    }

    func requestPermission() async throws(NotificationError) -> NotificationPermission {
        try await calls.call("requestPermission") { try await real.requestPermission() }
    }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        try await calls.perform("post") { try await real.post(notification) }
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {
        try await calls.perform("withdraw") { try await real.withdraw(ids) }
    }

    func setBadge(_ count: Int) async throws(NotificationError) {
        try await calls.perform("setBadge") { try await real.setBadge(count) }
    }

    func actions() -> AsyncStream<NotificationResponse> {
        real.actions()
    }
}
