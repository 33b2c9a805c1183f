import COpenSSL
import FoundationEssentials
import Glibc

/// What a passphrase costs to try: scrypt's N = 2^`exponent`, with r = 8 and p = 1. Memory is 1 KiB × N.
struct VaultCost: Equatable {
    /// 64 MiB for each try.
    static let least = VaultCost(exponent: 16)
    /// From a file more is not accepted: it would be a way to fill the memory.
    static let most = VaultCost(exponent: 20)
    static let blockSize: UInt64 = 8

    let exponent: UInt8

    var count: UInt64 { 1 << UInt64(exponent) }
    var memory: UInt64 { 128 * Self.blockSize * count }

    /// The most that takes this machine up to about half a second.
    static func calibrated() -> VaultCost {
        let began = ContinuousClock.now
        _ = VaultKey(passphrase: "calibration", salt: Data(count: VaultHeader.saltSize), cost: least)
        var length = ContinuousClock.now - began
        var exponent = least.exponent
        while exponent < 18, length * 2 < .milliseconds(500) {
            length = length * 2
            exponent += 1
        }
        return VaultCost(exponent: exponent)
    }
}

/// The beginning of a vault file. It is not secret, and changing it is noticed: it is authenticated with
/// the rest.
///
///     "MKVAULT" 7 · format 1 · exponent of N 1 · salt 32 · check 16 · nonce 12
struct VaultHeader: Equatable {
    static let magic = Data("MKVAULT".utf8)
    static let format: UInt8 = 1
    static let saltSize = 32
    static let checkSize = 16
    static let nonceSize = 12
    static let tagSize = 16
    static let size = magic.count + 2 + saltSize + checkSize + nonceSize

    var cost: VaultCost
    var salt: Data
    /// Made from the passphrase by the way of the key, so that a wrong one can be told from a damaged file.
    var check: Data
    var nonce: Data

    init(cost: VaultCost, salt: Data, check: Data, nonce: Data) {
        (self.cost, self.salt, self.check, self.nonce) = (cost, salt, check, nonce)
    }

    /// - Throws: `.writtenByNewerVersion` or `.damaged`.
    init(parsing file: Data, path: String) throws(VaultError) {
        guard file.count >= Self.size + Self.tagSize, file.starts(with: Self.magic) else {
            throw .damaged(path: path)
        }
        var rest = file.dropFirst(Self.magic.count)
        let format = rest.removeFirst()
        guard format == Self.format else {
            throw format > Self.format ? .writtenByNewerVersion(path: path) : .damaged(path: path)
        }
        let cost = VaultCost(exponent: rest.removeFirst())
        guard (10...VaultCost.most.exponent).contains(cost.exponent) else { throw .damaged(path: path) }
        func take(_ count: Int) -> Data {
            defer { rest = rest.dropFirst(count) }
            return Data(rest.prefix(count))
        }
        self.cost = cost
        salt = take(Self.saltSize)
        check = take(Self.checkSize)
        nonce = take(Self.nonceSize)
    }

    var bytes: Data { Self.magic + [Self.format, cost.exponent] + salt + check + nonce }
}

/// The key of a vault, from a passphrase.
final class VaultKey {
    private let key = SecretBytes(count: 32)
    let check: Data

    /// Takes a good part of a second, and much memory: that is its purpose. Nil if there is not so much.
    init?(passphrase: String, salt: Data, cost: VaultCost) {
        let derived = SecretBytes(count: 48)
        let words = SecretBytes(passphrase)
        let isDerived = words.withBytes { words in
            derived.withBytes { derived in
                salt.withUnsafeBytes { salt in
                    EVP_PBE_scrypt(
                        words.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.utf8.count,
                        salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count, cost.count,
                        VaultCost.blockSize, 1, cost.memory + (1 << 20),
                        derived.baseAddress?.assumingMemoryBound(to: UInt8.self), derived.count) == 1
                }
            }
        }
        guard isDerived else { return nil }
        check = derived.withBytes { Data($0[32...]) }
        key.withBytes { key in
            derived.withBytes { derived in key.copyBytes(from: derived[..<32]) }
        }
    }

    /// Whether it is the key of a vault, told in a time that does not depend on how wrong it is.
    func fits(_ header: VaultHeader) -> Bool {
        check.withUnsafeBytes { mine in
            header.check.withUnsafeBytes { its in
                mine.count == its.count && CRYPTO_memcmp(mine.baseAddress, its.baseAddress, mine.count) == 0
            }
        }
    }

    /// The whole file: header, ciphertext and tag.
    func seal(_ plain: Data, _ header: VaultHeader) -> Data? {
        let head = header.bytes
        var cipher = Data(count: plain.count)
        var tag = Data(count: VaultHeader.tagSize)
        let isSealed = crypt(true, plain, into: &cipher, &tag, nonce: header.nonce, additional: head)
        return isSealed ? head + cipher + tag : nil
    }

    /// Nil if a single bit of the file is not as it was sealed.
    func open(_ file: Data, _ header: VaultHeader) -> Data? {
        let cipher = Data(file.dropFirst(VaultHeader.size).dropLast(VaultHeader.tagSize))
        var tag = Data(file.suffix(VaultHeader.tagSize))
        var plain = Data(count: cipher.count)
        guard crypt(false, cipher, into: &plain, &tag, nonce: header.nonce, additional: header.bytes) else {
            plain.wipe()
            return nil
        }
        return plain
    }

    /// AES-256-GCM.
    private func crypt(
        _ isSealing: Bool, _ input: Data, into output: inout Data, _ tag: inout Data, nonce: Data,
        additional: Data
    ) -> Bool {
        guard let context = EVP_CIPHER_CTX_new() else { return false }
        defer { EVP_CIPHER_CTX_free(context) }
        let tagSize = CInt(tag.count)
        let (inputSize, additionalSize) = (CInt(input.count), CInt(additional.count))
        var count: CInt = 0
        return key.withBytes { key in
            nonce.withUnsafeBytes { nonce in
                additional.withUnsafeBytes { additional in
                    input.withUnsafeBytes { input in
                        output.withUnsafeMutableBytes { output in
                            tag.withUnsafeMutableBytes { tag in
                                let (keyBytes, nonceBytes) = (key.bytes, nonce.bytes)
                                guard
                                    EVP_CipherInit_ex(
                                        context, EVP_aes_256_gcm(), nil, keyBytes, nonceBytes,
                                        isSealing ? 1 : 0) == 1,
                                    EVP_CipherUpdate(
                                        context, nil, &count, additional.bytes, additionalSize) == 1,
                                    EVP_CipherUpdate(
                                        context, output.bytes, &count, input.bytes, inputSize) == 1
                                else { return false }
                                if !isSealing {
                                    EVP_CIPHER_CTX_ctrl(
                                        context, EVP_CTRL_AEAD_SET_TAG, tagSize, tag.baseAddress)
                                }
                                var rest: UInt8 = 0
                                guard EVP_CipherFinal_ex(context, &rest, &count) == 1 else { return false }
                                if isSealing {
                                    EVP_CIPHER_CTX_ctrl(
                                        context, EVP_CTRL_AEAD_GET_TAG, tagSize, tag.baseAddress)
                                }
                                return true
                            }
                        }
                    }
                }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
