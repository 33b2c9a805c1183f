import MailKernelAPI

/// Accounts of any service that speaks JMAP, as a plugin.
struct JMAPPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .account(JMAPProvider(host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    JMAPPlugin.answer(question)
}
