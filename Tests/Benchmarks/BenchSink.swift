import MailKernelAPI

/// A provider that does next to nothing, so that what is measured is the call. Compiled into the
/// benchmark, and from the same file into each of the plugins that it loads.
struct BenchSink: NotificationSink {
    var features: NotificationFeatures { .body }

    func permission() async -> NotificationPermission { .granted }

    func post(_ notification: MailNotification) async throws(NotificationError) {
        if notification.title.isEmpty { throw .refused("a title is missing") }
    }

    func withdraw(_ ids: [Id<MailNotification>]) async throws(NotificationError) {}
}
