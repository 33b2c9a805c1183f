import CLocalModels
import FoundationEssentials
import MailKernelAPI

/// A SHA-256, taken of bytes as they come.
final class Checksum {
    private let context: OpaquePointer

    init() throws(ModelError) {
        guard let context = EVP_MD_CTX_new() else { throw .failed(reason: "There is not enough memory.") }
        self.context = context
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw Self.unavailable }
    }

    deinit { EVP_MD_CTX_free(context) }

    func add(_ data: Data) throws(ModelError) {
        let isTaken = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
        guard isTaken else { throw Self.unavailable }
    }

    /// In lower-case hexadecimal digits. Nothing can be added afterwards.
    func finish() throws(ModelError) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw Self.unavailable }
        return digest.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private static let unavailable = ModelError.failed(reason: "SHA-256 is not available on this system.")
}
