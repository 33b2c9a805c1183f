private import CDigest
public import FoundationEssentials

extension Data {
    /// 256 random bits: they cannot be guessed, so a fast hash protects them.
    public static func randomSecret() -> Data {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }

    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Base64 that is valid in a URL, without padding (RFC 4648, section 5).
    public var base64URL: String {
        base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Equality that takes the same time wherever the difference is. Empty data is equal to nothing.
    public func isEqualInConstantTime(to other: Data) -> Bool {
        guard count == other.count, !isEmpty else { return false }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { CRYPTO_memcmp(one.baseAddress, $0.baseAddress, one.count) == 0 }
        }
    }
}
