import Digest
import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Opens pieces of an object as their bytes arrive, each into the memory from which it is read.
struct PieceOpening {
    private let object: StoredObject
    private let seal: PieceSeal?
    private let end: Int
    /// The number of the next piece.
    private var next: Int
    /// The beginning of that piece, whose rest has not come yet.
    private var begun = Data()
    private var blocks: [OpenedBlock] = []
    /// Of a response that has more than the pieces.
    private var toSkip = 0

    static let damaged = StorageError.unreadable(
        reason: "an attachment in S3 is not what was stored there")

    init(_ object: StoredObject, _ pieces: Range<Int>) {
        self.object = object
        seal = PieceSeal(key: object.key)
        next = pieces.lowerBound
        end = pieces.upperBound
    }

    /// The whole object comes, because the server ignores ranges.
    mutating func beginAtStart() { toSkip = object.place(of: next..<end).lowerBound }

    /// Takes the next bytes. Those after the pieces are ignored.
    mutating func take(_ bytes: Data) throws(StorageError) {
        var rest = bytes.dropFirst(toSkip)
        toSkip -= bytes.count - rest.count
        while next < end, !rest.isEmpty {
            let size = object.place(of: next..<next + 1).count
            if begun.isEmpty, rest.count >= size {
                try open(rest.prefix(size))
                rest = rest.dropFirst(size)
                continue
            }
            let more = rest.prefix(size - begun.count)
            begun.append(more)
            rest = rest.dropFirst(more.count)
            guard begun.count == size else { continue }
            try open(begun)
            begun.removeAll(keepingCapacity: true)
        }
    }

    /// The blocks that are whole by now, each once.
    mutating func takeBlocks() -> [OpenedBlock] {
        let isWhole = next == end || next % OpenedBlock.pieces == 0
        let whole = Array(isWhole ? blocks[...] : blocks.dropLast())
        blocks.removeFirst(whole.count)
        return whole
    }

    /// Whether all pieces have come.
    var isComplete: Bool { next == end }

    private mutating func open(_ sealed: Data) throws(StorageError) {
        if blocks.isEmpty || next % OpenedBlock.pieces == 0 {
            let last = min(end, (next / OpenedBlock.pieces + 1) * OpenedBlock.pieces)
            let bytes = object.bytes(in: next..<last)
            blocks.append(OpenedBlock(start: bytes.lowerBound, bytes: .unfilled(bytes.count)))
        }
        let block = blocks.count - 1
        let position = object.bytes(in: next..<next + 1).lowerBound - blocks[block].start
        let (seal, number) = (seal, UInt64(next))
        let isOpened = blocks[block].bytes.withUnsafeMutableBytes { block in
            sealed.withUnsafeBytes { sealed in
                let place = UnsafeMutableRawBufferPointer(rebasing: block[position...])
                return seal?.open(sealed, number: number, into: place)
            }
        }
        guard isOpened == true else { throw Self.damaged }
        next += 1
    }
}

/// Opens a response on its way in.
final class OpeningSink: S3Sink {
    private struct State {
        var opening: PieceOpening
        var problem: StorageError?
    }

    private let state: Mutex<State>
    private let deliver: ObjectFetch.Delivery

    init(_ object: StoredObject, _ pieces: Range<Int>, _ deliver: @escaping ObjectFetch.Delivery) {
        state = Mutex(State(opening: PieceOpening(object, pieces)))
        self.deliver = deliver
    }

    func begin(_ status: Int) {
        if status == 200 { state.withLock { $0.opening.beginAtStart() } }
    }

    func write(_ bytes: Data) throws {
        let blocks = try state.withLock { state throws(StorageError) in
            do throws(StorageError) {
                try state.opening.take(bytes)
                return state.opening.takeBlocks()
            } catch {
                state.problem = error
                throw error
            }
        }
        for block in blocks { deliver(block) }
    }

    var problem: StorageError? { state.withLock { $0.problem } }

    /// Whether all pieces were delivered.
    var isComplete: Bool { state.withLock { $0.opening.isComplete } }
}
