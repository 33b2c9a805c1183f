private import CDigest
public import FoundationEssentials

/// A SHA-256, computed over bytes as they arrive.
public final class SHA256 {
    private let context = EVP_MD_CTX_new()
    private var isValid = false

    public init() {
        if let context { isValid = EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 }
    }

    deinit { EVP_MD_CTX_free(context) }

    public func add(_ data: Data) {
        guard isValid else { return }
        isValid = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
    }

    /// Its 32 bytes; nil if this system has no SHA-256. Nothing can be added afterwards.
    public func finish() -> Data? {
        var digest = [UInt8](repeating: 0, count: 32)
        guard isValid, EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return nil }
        isValid = false
        return Data(digest)
    }

    public static func of(_ data: Data) -> Data? {
        let digest = SHA256()
        digest.add(data)
        return digest.finish()
    }
}
