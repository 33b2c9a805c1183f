import Digest
import FoundationEssentials
import Glibc
import MailKernelAPI

/// A blob's object in S3: pieces of the blob in order, each sealed with the key in the object's row.
///
/// The server cannot read them, a changed byte is noticed, and without the row they mean nothing.
struct StoredObject: Sendable {
    static let piece = 256 << 10
    private static let sealedPiece = piece + PieceSeal.overhead

    /// A larger object is sent in parts of so many pieces. Sealed, they fit into the 8 MiB that SeaweedFS keeps together.
    static let piecesOfPart = 28

    let account: Int
    let upload: String
    let key: Data
    /// Of the blob.
    let size: Int

    /// Numbers of pieces.
    var pieces: Range<Int> { 0..<(size + Self.piece - 1) / Self.piece }

    /// The pieces with these bytes of the blob, which are some.
    func pieces(with bytes: Range<Int>) -> Range<Int> {
        (bytes.lowerBound / Self.piece..<(bytes.upperBound - 1) / Self.piece + 1).clamped(to: pieces)
    }

    /// The bytes of the blob in some of its pieces.
    func bytes(in pieces: Range<Int>) -> Range<Int> {
        pieces.lowerBound * Self.piece..<min(pieces.upperBound * Self.piece, size)
    }

    /// Where pieces are in the object.
    func place(of pieces: Range<Int>) -> Range<Int> {
        let end = min(pieces.upperBound * Self.piece, size) + pieces.upperBound * PieceSeal.overhead
        return pieces.lowerBound * Self.sealedPiece..<end
    }

    /// - Parameter read: up to some bytes of the blob from an offset on.
    func sealed(
        _ pieces: Range<Int>, _ read: (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> Data {
        let seal = PieceSeal(key: key)
        var sealed = Data.unfilled(place(of: pieces).count)
        var position = 0
        for number in pieces {
            let piece = try read(number * Self.piece, Self.piece)
            guard piece.count == min(Self.piece, size - number * Self.piece) else {
                throw .unreadable(reason: "the buffer of a blob has lost bytes")
            }
            let isSealed = sealed.withUnsafeMutableBytes { sealed in
                piece.withUnsafeBytes { piece in
                    let place = UnsafeMutableRawBufferPointer(rebasing: sealed[position...])
                    return seal?.seal(piece, number: UInt64(number), into: place)
                }
            }
            guard isSealed == true else { throw .unsupported("This system has no AES-256-GCM.") }
            position += piece.count + PieceSeal.overhead
        }
        return sealed
    }
}

/// Bytes of a blob that were opened.
struct OpenedBlock: Sendable {
    /// Most blocks have this size, and begin at a multiple of it: what the kernel reads at a time.
    static let size = 1 << 20
    static let pieces = size / StoredObject.piece

    let start: Int
    var bytes: Data

    var range: Range<Int> { start..<start + bytes.count }
}

extension Data {
    /// Memory for the caller to fill, which is not cleared before.
    static func unfilled(_ count: Int) -> Data {
        guard count > 0, let memory = malloc(count) else { return Data(count: count) }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }
}
