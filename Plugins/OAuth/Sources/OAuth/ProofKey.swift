import Digest
import FoundationEssentials

/// A secret known only to the program that opened the browser (RFC 7636): an intercepted code is useless
/// without it.
struct ProofKey: Sendable {
    /// 256 random bits, unless it is one from before.
    var verifier = Data.randomSecret().base64URL

    /// What the browser carries: `S256` of the secret. Nil if this system has no SHA-256.
    var challenge: String? { SHA256.of(Data(verifier.utf8))?.base64URL }
}
