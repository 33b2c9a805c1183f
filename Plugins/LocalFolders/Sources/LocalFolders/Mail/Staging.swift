import Digest
import FoundationEssentials
import MailKernelAPI

/// A message whose file is in `incoming`.
struct StagedMessage: Sendable {
    let id: String
    let digest: Data
    let size: Int
    let messageID: String?
}

/// A message that is being written into `incoming`.
///
/// `@unchecked Sendable`: its owner hands it from one block of a lane to the next, never to two at once.
final class IncomingMessage: @unchecked Sendable {
    let id = MailPaths.newID()
    private let file: OpenFile
    private let digest = SHA256()
    private var size = 0
    private var beginning = Data()

    init(_ paths: MailPaths) throws(FolderError) {
        try paths.reserve.demand()
        file = try OpenFile.make(paths.incoming(id))
    }

    /// The header, as far as it was written.
    var header: MessageHeader { MessageHeader(beginning) }

    func write(_ bytes: Data) throws(FolderError) {
        digest.add(bytes)
        try file.append(bytes)
        size += bytes.count
        beginning.append(bytes.prefix(max(0, MessageHeader.limit - beginning.count)))
    }

    /// - Parameter isDurable: whether it is to survive a power cut by itself; false if something larger
    ///   is synchronized later.
    func finish(receivedAt: Date, isDurable: Bool) throws(FolderError) -> StagedMessage {
        file.setDate(receivedAt)
        if isDurable { try file.synchronize() }
        guard let digest = digest.finish() else { throw .noDigest }
        return StagedMessage(
            id: id, digest: digest, size: size, messageID: MessageHeader(beginning).messageID)
    }
}

extension MailFolder {
    /// The number of bytes read from a source at a time.
    static let pieceSize = 1 << 20

    /// Writes a message to `incoming` in pieces. If it throws, the file is removed.
    func stage(
        _ source: any ByteSource, receivedAt: Date, isDurable: Bool = true
    ) async throws(FolderError) -> StagedMessage {
        let message = try await writer.run { [paths] _ throws(FolderError) in try IncomingMessage(paths) }
        do throws(FolderError) {
            var pieces = source.pieces(of: Self.pieceSize)
            while let piece = try await pieces.take() {
                try await writer.run { _ throws(FolderError) in try message.write(piece) }
            }
            return try await writer.run { [paths] _ throws(FolderError) in
                let staged = try message.finish(receivedAt: receivedAt, isDurable: isDurable)
                if isDurable { try OpenFile.synchronizeFolder(paths.incoming) }
                return staged
            }
        } catch {
            discard([message.id])
            throw error
        }
    }
}

extension BytePieces {
    /// As `next`; the error of a source is its own, not ours.
    mutating func take() async throws(FolderError) -> Data? {
        if Task.isCancelled { throw .cancelled }
        do {
            return try await next()
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .account(.local(reason: String(describing: error)))
        }
    }
}
