private import CDigest
public import FoundationEssentials

extension SHA256 {
    /// The HMAC-SHA-256 of a message (RFC 2104): 32 bytes; nil if this system has none.
    public static func authentication(of message: Data, key: Data) -> Data? {
        var code = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let made = key.withUnsafeBytes { key in
            message.withUnsafeBytes { message in
                HMAC(
                    EVP_sha256(), key.baseAddress, CInt(key.count),
                    message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count, &code, &count)
            }
        }
        return made != nil && count == 32 ? Data(code) : nil
    }
}
