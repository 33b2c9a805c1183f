import MailKernelAPI

/// Outlook.com and Microsoft 365, as a plugin.
struct MicrosoftPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .account(MicrosoftProvider(host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MicrosoftPlugin.answer(question)
}
