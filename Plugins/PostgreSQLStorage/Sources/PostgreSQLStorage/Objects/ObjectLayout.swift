import Digest
import FoundationEssentials
import MailKernelAPI

/// A blob's object in S3: pieces of the blob in order, each sealed with the key in the object's row.
///
/// The server cannot read them, a changed byte is noticed, and without the row they mean nothing.
struct StoredObject: Sendable {
    static let piece = 256 << 10
    private static let sealedPiece = piece + PieceSeal.overhead

    let account: Int
    let upload: String
    let key: Data
    /// Of the blob.
    let size: Int

    /// Numbers of pieces.
    var pieces: Range<Int> { 0..<(size + Self.piece - 1) / Self.piece }

    /// Where pieces are in the object.
    func place(of pieces: Range<Int>) -> Range<Int> {
        let end = min(pieces.upperBound * Self.piece, size) + pieces.upperBound * PieceSeal.overhead
        return pieces.lowerBound * Self.sealedPiece..<end
    }

    /// - Parameter read: up to some bytes of the blob from an offset on.
    func sealed(
        _ pieces: Range<Int>, _ read: (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> Data {
        let place = place(of: pieces)
        var sealed = Data(capacity: place.count)
        let seal = PieceSeal(key: key)
        for number in pieces {
            let piece = Data(try read(number * Self.piece, Self.piece))
            guard piece.count == min(Self.piece, size - number * Self.piece) else {
                throw .unreadable(reason: "the buffer of a blob has lost bytes")
            }
            guard let bytes = seal?.seal(piece, number: UInt64(number)) else {
                throw .unsupported("This system has no AES-256-GCM.")
            }
            sealed.append(bytes)
        }
        return sealed
    }

    /// The bytes of the blob in some of its pieces.
    func opened(_ pieces: Range<Int>, _ sealed: Data) throws(StorageError) -> Data {
        let seal = PieceSeal(key: key)
        var opened = Data(capacity: sealed.count)
        var rest = sealed[...]
        for number in pieces {
            guard let bytes = seal?.open(rest.prefix(Self.sealedPiece), number: UInt64(number)),
                bytes.count == min(Self.piece, size - number * Self.piece)
            else { throw .unreadable(reason: "an attachment in S3 is not what was stored there") }
            opened.append(bytes)
            rest = rest.dropFirst(Self.sealedPiece)
        }
        return opened
    }
}
