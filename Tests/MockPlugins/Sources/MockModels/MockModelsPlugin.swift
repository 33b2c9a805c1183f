import MailKernelAPI
import MailKernelConformance

struct MockModelsPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) throws -> Provider {
        try misbehaveInFactory(host)
        return .model(MockModelProvider(host: host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MockModelsPlugin.answer(question)
}
