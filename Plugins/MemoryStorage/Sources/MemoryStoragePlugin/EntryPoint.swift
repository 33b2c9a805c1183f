import MailKernelAPI
import MailKernelConformance

/// The reference store as a plugin: something to start on while there is no store with files.
@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    MemoryStoragePlugin.answer(question)
}
