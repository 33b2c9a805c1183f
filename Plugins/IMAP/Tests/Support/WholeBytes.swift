import FoundationEssentials
import MailKernelAPI

extension ByteSource {
    /// All of it, for a network of a test.
    public func wholeBytes() async throws(NetworkError) -> Data {
        do {
            return try await read(at: 0, count: size)
        } catch {
            throw .local(reason: "\(error)")
        }
    }
}
