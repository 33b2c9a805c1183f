import MailKernelAPI
import MailKernelConformance

struct MockAccountPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) throws -> Provider {
        try misbehaveInFactory(host)
        return .account(MockAccountProvider(host: host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MockAccountPlugin.answer(question)
}
