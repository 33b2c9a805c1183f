import FoundationEssentials
import MailKernelAPI

/// The desktop's notifications, as a plugin.
struct DesktopNotificationsPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        // Where the session bus is, nobody knows but the environment.
        .notification(DesktopSink(environment: ProcessInfo.processInfo.environment, folder: host.dataFolder))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    DesktopNotificationsPlugin.answer(question)
}
