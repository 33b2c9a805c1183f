import COAuthCrypto
import FoundationEssentials

/// A secret known only to the program that opened the browser (RFC 7636): an intercepted code is useless
/// without it.
struct ProofKey: Sendable {
    let verifier: String

    /// A new one, of 256 random bits.
    init() {
        verifier = Self.randomText()
    }

    init(verifier: String) {
        self.verifier = verifier
    }

    /// What the browser carries: `S256` of the secret. Nil if this system has no SHA-256.
    var challenge: String? {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let text = Array(verifier.utf8)
        guard EVP_Digest(text, text.count, &digest, &length, EVP_sha256(), nil) == 1, length == 32 else {
            return nil
        }
        return Self.base64URL(digest)
    }

    /// 256 random bits, as text that is valid in a URL.
    static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
