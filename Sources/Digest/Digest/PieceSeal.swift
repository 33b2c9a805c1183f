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
        var sealed = Data(count: piece.count + Self.overhead)
        let isSealed = sealed.withUnsafeMutableBytes { sealed in
            piece.withUnsafeBytes { seal($0, number: number, into: sealed) }
        }
        return isSealed ? sealed : nil
    }

    /// Nil unless it is the piece of that number as it was sealed, bit by bit.
    public func open(_ sealed: Data, number: UInt64) -> Data? {
        guard sealed.count >= Self.overhead else { return nil }
        var piece = Data(count: sealed.count - Self.overhead)
        let isOpened = piece.withUnsafeMutableBytes { piece in
            sealed.withUnsafeBytes { open($0, number: number, into: piece) }
        }
        return isOpened ? piece : nil
    }

    /// Seals a piece into the memory that it is sent from. False if this system has no AES-256-GCM.
    ///
    /// - Parameter sealed: has room for the piece and `overhead`.
    public func seal(
        _ piece: UnsafeRawBufferPointer, number: UInt64, into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard sealed.count >= piece.count + Self.overhead,
            let context = context(number, isSealing: true)
        else { return false }
        defer { EVP_CIPHER_CTX_free(context) }
        return Self.crypt(context, piece, into: sealed)
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, CInt(Self.overhead),
                sealed.baseAddress.map { $0 + piece.count }) == 1
    }

    /// Opens a piece into the memory that it is read from. False unless it is the piece of that number as it was sealed,
    /// bit by bit: what was written to `piece` then means nothing.
    ///
    /// - Parameter piece: has room for the sealed piece without `overhead`.
    public func open(
        _ sealed: UnsafeRawBufferPointer, number: UInt64, into piece: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard sealed.count >= Self.overhead, let context = context(number, isSealing: false) else {
            return false
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = [UInt8](sealed.suffix(Self.overhead))
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(Self.overhead), &tag) == 1 else {
            return false
        }
        let content = UnsafeRawBufferPointer(rebasing: sealed.dropLast(Self.overhead))
        return Self.crypt(context, content, into: piece)
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
        _ context: OpaquePointer, _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let size = CInt(exactly: input.count), output.count >= input.count else { return false }
        var count: CInt = 0
        let isDone =
            size == 0
            || EVP_CipherUpdate(
                context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
                input.baseAddress?.assumingMemoryBound(to: UInt8.self), size) == 1
        var rest: UInt8 = 0
        var restCount: CInt = 0
        return isDone && count == size && EVP_CipherFinal_ex(context, &rest, &restCount) == 1
    }
}
