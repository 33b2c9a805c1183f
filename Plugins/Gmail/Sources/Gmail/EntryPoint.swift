import MailKernelAPI

/// Gmail and Google Workspace, as a plugin.
struct GmailPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .account(GmailProvider(host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    GmailPlugin.answer(question)
}
