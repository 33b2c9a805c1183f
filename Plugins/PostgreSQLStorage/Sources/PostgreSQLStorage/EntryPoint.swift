import MailKernelAPI

@c(mailkernel_plugin)
public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    PostgreSQLPlugin.answer(question)
}
