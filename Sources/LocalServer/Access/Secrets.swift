import COpenSSL
import FoundationEssentials

/// Secrets that are shown once and recognized later: start codes, session cookies, tokens.
///
/// Each has 256 random bits, so a fast hash is enough: they cannot be guessed.
enum AccessSecret {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<4).flatMap { _ in
            withUnsafeBytes(of: generator.next() as UInt64) { Array($0) }
        }
        return Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// SHA-256, as it is kept.
    static func hash(_ secret: String) -> Data {
        SHA256.hash(Data(secret.utf8))
    }
}

enum SHA256 {
    static func hash(_ data: Data) -> Data {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let done = data.withUnsafeBytes {
            EVP_Digest($0.baseAddress, $0.count, &digest, &count, EVP_sha256(), nil)
        }
        // Without SHA-256 in the library nothing is equal to anything.
        return done == 1 ? Data(digest.prefix(Int(count))) : Data(AccessSecret.make().utf8)
    }
}

extension Data {
    /// Equality that takes the same time wherever the difference is.
    func isEqualInConstantTime(to other: Data) -> Bool {
        guard count == other.count, !isEmpty else { return false }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { CRYPTO_memcmp(one.baseAddress, $0.baseAddress, one.count) == 0 }
        }
    }

    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
