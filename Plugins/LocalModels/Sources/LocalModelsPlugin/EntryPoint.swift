import LocalModels
import MailKernelAPI

/// Language models on this machine, as a plugin.
struct LocalModelsPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .model(LocalModelProvider(host: host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    LocalModelsPlugin.answer(question)
}
