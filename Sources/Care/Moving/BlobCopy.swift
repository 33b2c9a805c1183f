import Digest
import FoundationEssentials
import MailKernelAPI
import Store

/// Reads a blob piece by piece, whatever its size.
package struct BlobCopy {
    private static let piece = 1 << 20

    let info: BlobInfo
    let source: MailStore

    package init(info: BlobInfo, source: MailStore) {
        self.info = info
        self.source = source
    }

    /// Writes it into another store, unless it is there.
    package func write(to destination: MailStore) async throws {
        let there = try await destination.read.blobInfo(info.id, in: info.accountID)
        guard there != info else { return }
        let writer = try await destination.writeBlob(info)
        do {
            try await each { piece in try await writer.write(piece) }
            try await writer.finish()
        } catch {
            await writer.discard()
            throw error
        }
    }

    /// A SHA-256 over the bytes.
    func digest() async throws -> Data {
        var offset = 0
        let digest = SHA256()
        while offset < info.size {
            let piece = try await piece(at: offset)
            digest.add(piece)
            offset += piece.count
        }
        guard let bytes = digest.finish() else { throw MoveProblem.noDigest }
        return bytes
    }

    private func each(_ body: (Data) async throws -> Void) async throws {
        var offset = 0
        while offset < info.size {
            let piece = try await piece(at: offset)
            try await body(piece)
            offset += piece.count
        }
    }

    private func piece(at offset: Int) async throws -> Data {
        let piece = try await source.read.readBlob(
            info.id, in: info.accountID, offset: offset, count: Self.piece)
        guard !piece.isEmpty else { throw MoveProblem.unreadable }
        return piece
    }
}
