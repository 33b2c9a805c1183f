private import CDigest
public import FoundationEssentials

/// A digest by its name in HTTP (RFC 3230, RFC 5843), computed over bytes as they arrive.
public final class NamedDigest {
    /// Those that can be computed, in lower case.
    public static let names = ["sha", "sha-256", "sha-512"]

    private let context = EVP_MD_CTX_new()
    private var isValid = false

    /// Nil for another name.
    public init?(_ name: String) {
        let algorithm: OpaquePointer? =
            switch name {
            case "sha": EVP_sha1()
            case "sha-256": EVP_sha256()
            case "sha-512": EVP_sha512()
            default: nil
            }
        guard let algorithm else { return nil }
        if let context { isValid = EVP_DigestInit_ex(context, algorithm, nil) == 1 }
    }

    deinit { EVP_MD_CTX_free(context) }

    public func add(_ data: Data) {
        guard isValid else { return }
        isValid = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
    }

    /// Its bytes; nil if this system does not have it. Nothing can be added afterwards.
    public func finish() -> Data? {
        var digest = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        guard isValid, EVP_DigestFinal_ex(context, &digest, &count) == 1 else { return nil }
        isValid = false
        return Data(digest.prefix(Int(count)))
    }

    /// The digest of bytes that are there already.
    public static func of(_ data: Data, _ name: String) -> Data? {
        let digest = NamedDigest(name)
        digest?.add(data)
        return digest?.finish()
    }
}
