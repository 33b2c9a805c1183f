import LocalFolders
import MailKernelAPI

/// Mail that lives on this machine only, as a plugin.
struct LocalFoldersPlugin: MailKernelPlugin {
    static func makeProvider(host: HostServices) -> Provider {
        LocalAccountsOnThisDevice.provider(host)
    }
}

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    LocalFoldersPlugin.answer(question)
}
