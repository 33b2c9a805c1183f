import FoundationEssentials
import MailKernelAPI

/// The desktop's notifications, as a plugin.
struct DesktopNotificationsPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        // Only the environment has the address of the session bus.
        .notification(DesktopSink(environment: ProcessInfo.processInfo.environment, folder: host.dataFolder))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    DesktopNotificationsPlugin.answer(question)
}
