import CLocalFolders
import FoundationEssentials

/// A SHA-256, taken of bytes as they come.
final class Digest {
    private let context: OpaquePointer

    init() throws(FolderError) {
        guard let context = EVP_MD_CTX_new() else { throw .unusable("there is not enough memory") }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw .unusable("SHA-256 is not available on this system")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    func add(_ data: Data) throws(FolderError) {
        let isTaken = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
        guard isTaken else { throw .unusable("a checksum could not be computed") }
    }

    func finish() throws(FolderError) -> Data {
        var digest = Data(count: 32)
        let isMade = digest.withUnsafeMutableBytes { bytes in
            EVP_DigestFinal_ex(context, bytes.bindMemory(to: UInt8.self).baseAddress, nil)
        }
        guard isMade == 1 else { throw .unusable("a checksum could not be computed") }
        return digest
    }

    static func of(_ data: Data) throws(FolderError) -> Data {
        let digest = try Digest()
        try digest.add(data)
        return try digest.finish()
    }
}
