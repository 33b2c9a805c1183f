import COpenSSL
import FoundationEssentials
import Glibc

/// Bytes that are not swapped out, and wiped when they are let go.
final class SecretBytes {
    private let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: max(1, count), alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        // Refused where a user may lock little memory: then it is wiped, and that has to do.
        mlock(bytes.baseAddress, bytes.count)
    }

    convenience init(_ text: String) {
        self.init(count: text.utf8.count)
        bytes.copyBytes(from: text.utf8)
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        munlock(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(bytes)
    }
}

extension Data {
    /// Overwrites the bytes, unless they are shared.
    mutating func wipe() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }

    static func random(count: Int) -> Data? {
        var data = Data(count: count)
        let isFilled = data.withUnsafeMutableBytes { buffer in
            RAND_bytes(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(buffer.count)) == 1
        }
        return isFilled ? data : nil
    }
}
