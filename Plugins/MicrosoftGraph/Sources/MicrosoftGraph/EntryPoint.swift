import MailKernelAPI

/// Outlook.com and Microsoft 365 through Microsoft Graph, as a plugin.
struct MicrosoftGraphPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .account(GraphProvider(host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MicrosoftGraphPlugin.answer(question)
}
