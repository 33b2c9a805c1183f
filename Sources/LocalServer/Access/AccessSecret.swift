import Digest
import FoundationEssentials

/// Secrets that are shown once and recognized later: start codes, session cookies, tokens.
///
/// Each has 256 random bits, so a fast hash is enough: they cannot be guessed.
enum AccessSecret {
    static func make() -> String { Data.randomSecret().base64URL }

    /// SHA-256, as it is kept. Without SHA-256 on this system, nothing is equal to anything.
    static func hash(_ secret: String) -> Data {
        SHA256.of(Data(secret.utf8)) ?? .randomSecret()
    }
}
