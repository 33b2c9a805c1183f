private import CDigest
public import FoundationEssentials

/// Seals the numbered pieces of one content with AES-256-GCM, so that only the key opens them, and only as they were.
///
/// The number is the nonce: use a key for one content only, and a number for one piece only.
public struct PieceSeal: Sendable {
    /// How much longer a sealed piece is.
    public static let overhead = 16

    private let key: [UInt8]

    /// Nil unless the key has 32 bytes.
    public init?(key: Data) {
        guard key.count == 32 else { return nil }
        self.key = [UInt8](key)
    }

    /// Nil if this system has no AES-256-GCM.
    public func seal(_ piece: Data, number: UInt64) -> Data? {
        guard let context = context(number, isSealing: true) else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = Data(count: piece.count + Self.overhead)
        let isSealed = sealed.withUnsafeMutableBytes { sealed in
            Self.crypt(context, piece, into: sealed)
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, CInt(Self.overhead),
                    sealed.baseAddress.map { $0 + piece.count }) == 1
        }
        return isSealed ? sealed : nil
    }

    /// Nil unless it is the piece of that number as it was sealed, bit by bit.
    public func open(_ sealed: Data, number: UInt64) -> Data? {
        guard sealed.count >= Self.overhead, let context = context(number, isSealing: false) else {
            return nil
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = [UInt8](sealed.suffix(Self.overhead))
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(Self.overhead), &tag) == 1 else {
            return nil
        }
        let content = sealed.dropLast(Self.overhead)
        var piece = Data(count: content.count)
        let isOpened = piece.withUnsafeMutableBytes { Self.crypt(context, content, into: $0) }
        return isOpened ? piece : nil
    }

    private func context(_ number: UInt64, isSealing: Bool) -> OpaquePointer? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        let nonce = [0, 0, 0, 0] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, isSealing ? 1 : 0) == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        return context
    }

    /// - Parameter output: has room for as many bytes as the input.
    private static func crypt(
        _ context: OpaquePointer, _ input: Data, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let size = CInt(exactly: input.count), output.count >= input.count else { return false }
        var count: CInt = 0
        let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let isDone = input.withUnsafeBytes { input in
            size == 0
                || EVP_CipherUpdate(
                    context, start, &count, input.baseAddress?.assumingMemoryBound(to: UInt8.self), size) == 1
        }
        var rest: UInt8 = 0
        var restCount: CInt = 0
        return isDone && count == size && EVP_CipherFinal_ex(context, &rest, &restCount) == 1
    }
}
