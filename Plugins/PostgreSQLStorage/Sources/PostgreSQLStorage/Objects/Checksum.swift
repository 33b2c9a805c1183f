private import CChecksum
import FoundationEssentials

/// The CRC-32 that S3 servers compare with what arrived.
///
/// It finds what was damaged on the way, which is all that it is for: what was changed on purpose is found by the seal of
/// the pieces. A SHA-256 would take the greater part of an upload's time, here and on the server.
enum Checksum {
    /// As in the header `x-amz-checksum-crc32`.
    static func of(_ bytes: Data) -> String {
        let sum = bytes.withUnsafeBytes { bytes in
            crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        return withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum).bigEndian) { Data($0) }
            .base64EncodedString()
    }
}
