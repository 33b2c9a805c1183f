import MailKernelAPI
import MailKernelConformance

struct MockNotificationsPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) throws -> Provider {
        try misbehaveInFactory(host)
        return .notification(MockNotificationSink(host: host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MockNotificationsPlugin.answer(question)
}
