public import MailKernelAPI

/// The reference sink of notifications, as a plugin.
///
/// Its settings, all optional: `{"permission": "undecided", "answer": "denied"}`; `answer` is what the
/// user says when asked.
public struct MemoryNotificationPlugin: MailKernelPlugin {
    public static func makeProvider(host: HostServices) -> Provider {
        .notification(notificationSink(host: host))
    }

    /// The same with its own type, for tests that build on it.
    public static func notificationSink(host: HostServices) -> MemoryNotificationSink {
        func permission(_ name: String) -> NotificationPermission {
            host.settings[name]?.stringValue.flatMap(NotificationPermission.init) ?? .granted
        }
        return MemoryNotificationSink(permission: permission("permission"), answer: permission("answer"))
    }
}
