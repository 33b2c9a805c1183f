import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The large blobs of one store, in S3.
final class ObjectStore: Sendable {
    let client: S3Client
    /// What the names of all objects of the store begin with.
    let prefix: String
    private let runs = Mutex<[Run]>([])

    /// Read in one go, and kept in memory for the reads that follow.
    private struct Run {
        let upload: String
        let start: Int
        let bytes: Data
        var range: Range<Int> { start..<start + bytes.count }
    }

    /// How much is read ahead once a blob is read in order.
    private static let ahead = 8 << 20
    private static let mostRuns = 2

    /// - Parameter storeID: of the store, so that several can share a bucket.
    init(_ client: S3Client, storeID: String) {
        self.client = client
        prefix = "mailkernel/\(storeID)/"
    }

    func prefix(of account: Int) -> String { "\(prefix)\(account)/" }
    func name(_ account: Int, _ upload: String) -> String { prefix(of: account) + upload }

    /// Sends a blob. It is durable when this returns.
    ///
    /// - Parameter stored: called after each part of several.
    func write(
        _ object: StoredObject,
        _ read: @escaping @Sendable (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8],
        stored: @escaping @Sendable () async throws(StorageError) -> Void
    ) async throws(StorageError) {
        let piecesOfPart = max(1, client.settings.partSize / StoredObject.piece)
        let parts = max(1, (object.pieces.count + piecesOfPart - 1) / piecesOfPart)
        try await client.put(
            name(object.account, object.upload), parts: parts,
            { number throws(StorageError) in
                let pieces = (number * piecesOfPart..<(number + 1) * piecesOfPart).clamped(to: object.pieces)
                return try object.sealed(pieces, read)
            }, stored: stored)
    }

    /// Bytes of a blob, at most `count` from `offset` on; nil if its object is gone.
    func read(_ object: StoredObject, offset: Int, count: Int) async throws(StorageError) -> Data? {
        guard offset >= 0, offset < object.size, count > 0 else { return Data() }
        let wanted = offset..<offset + min(count, object.size - offset)
        let (known, isInOrder) = runs.withLock { runs in
            let mine = runs.filter { $0.upload == object.upload }
            return (
                mine.first {
                    $0.range.contains(wanted.lowerBound) && $0.range.upperBound >= wanted.upperBound
                },
                mine.contains {
                    $0.range.contains(wanted.lowerBound) || $0.range.upperBound == wanted.lowerBound
                }
            )
        }
        if let known { return Self.slice(known, wanted) }
        let end = isInOrder ? max(wanted.upperBound, wanted.lowerBound + Self.ahead) : wanted.upperBound
        let pieces = (wanted.lowerBound / StoredObject.piece..<(end - 1) / StoredObject.piece + 1)
            .clamped(to: object.pieces)
        let place = object.place(of: pieces)
        let name = name(object.account, object.upload)
        guard let sealed = try await client.bytes(of: name, in: place) else { return nil }
        guard sealed.count == place.count else {
            throw .unreadable(reason: "an attachment in S3 is not what was stored there")
        }
        let run = Run(
            upload: object.upload, start: pieces.lowerBound * StoredObject.piece,
            bytes: try object.opened(pieces, sealed))
        if run.bytes.count <= Self.ahead + StoredObject.piece { remember(run) }
        return Self.slice(run, wanted)
    }

    private func remember(_ run: Run) {
        runs.withLock { runs in
            runs.removeAll { $0.upload == run.upload }
            runs = [run] + runs.prefix(Self.mostRuns - 1)
        }
    }

    private static func slice(_ run: Run, _ wanted: Range<Int>) -> Data {
        Data(run.bytes.dropFirst(wanted.lowerBound - run.start).prefix(wanted.count))
    }
}
