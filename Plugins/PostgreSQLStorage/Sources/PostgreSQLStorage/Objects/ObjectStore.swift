import FoundationEssentials
import MailKernelAPI

/// The large blobs of one store, in S3.
final class ObjectStore: Sendable {
    let client: S3Client
    /// What the names of all objects of the store begin with.
    let prefix: String
    private let ahead: ReadAhead

    /// - Parameter storeID: of the store, so that several can share a bucket.
    init(_ client: S3Client, storeID: String) {
        let prefix = "mailkernel/\(storeID)/"
        self.client = client
        self.prefix = prefix
        ahead = ReadAhead { object, pieces, deliver in
            do throws(StorageError) {
                let name = "\(prefix)\(object.account)/\(object.upload)"
                return try await client.read(name, object, pieces, deliver) ? .complete : .gone
            } catch {
                return .failed(error)
            }
        }
    }

    /// Ends what is being read ahead.
    func stop() async { await ahead.stop() }

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
        let piecesOfPart = StoredObject.piecesOfPart
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
        let end = offset + min(count, object.size - offset)
        var bytes = Data()
        while offset + bytes.count < end {
            let wanted = offset + bytes.count..<end
            guard let block = try await ahead.block(object, wanted) else { return nil }
            // Most reads are of one block.
            if block.range == wanted, bytes.isEmpty { return block.bytes }
            if bytes.isEmpty { bytes.reserveCapacity(wanted.count) }
            bytes += block.bytes.dropFirst(wanted.lowerBound - block.start).prefix(wanted.count)
        }
        return bytes
    }
}
