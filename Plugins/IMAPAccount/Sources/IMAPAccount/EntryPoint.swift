import MailKernelAPI

/// Mail of any service that speaks IMAP and SMTP, as a plugin.
struct IMAPAccountPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        .account(IMAPAccountProvider(host))
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    IMAPAccountPlugin.answer(question)
}
