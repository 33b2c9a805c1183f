import MailKernelAPI
import MailKernelConformance

struct MockStoragePlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) throws -> Provider {
        try misbehaveInFactory(host)
        let provider = MemoryStoragePlugin.makeProvider(host: host)
        guard case .storage(let real) = provider else { return provider }
        return .storage(MockStorageBackend(real: real, host: host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MockStoragePlugin.answer(question)
}
