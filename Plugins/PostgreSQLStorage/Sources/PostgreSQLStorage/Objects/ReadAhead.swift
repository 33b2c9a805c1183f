import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Reads objects in blocks. Where one is read in order, the next ranges are requested before a reader asks for them, several
/// at a time: a server answers a few large requests faster than many small ones, and one after the other slower than at once.
final class ReadAhead: Sendable {
    typealias Source =
        @Sendable (StoredObject, Range<Int>, @escaping ObjectFetch.Delivery) async -> ObjectFetch.End

    /// The pieces of a request: those of a part, at whose ends it ends.
    private static let stretch = StoredObject.piecesOfPart
    /// How many pieces are requested ahead of all readers together.
    private static let window = 8 * OpenedBlock.pieces
    /// So many readers are followed.
    private static let mostStreams = 4

    /// Pieces of an object without a gap, from where a reader is.
    private struct Stream {
        let upload: String
        /// Where the reader is.
        var first: Int
        /// In order, from `first` on.
        var fetches: [ObjectFetch] = []
        var isInOrder: Bool
        /// Whether the reader came back.
        var goesOn = false

        var end: Int { fetches.last?.pieces.upperBound ?? first }
    }

    private let source: Source
    /// The most recently used first; nil once it was stopped.
    private let streams = Mutex<[Stream]?>([])

    init(_ source: @escaping Source) {
        self.source = source
    }

    /// A block with the byte at the beginning of `wanted`, which is not empty; nil if the object is gone.
    func block(_ object: StoredObject, _ wanted: Range<Int>) async throws(StorageError) -> OpenedBlock? {
        var failures = 0
        while true {
            guard let fetch = plan(object, object.pieces(with: wanted)) else { throw .closed }
            let isOld = fetch.hasFailed
            switch await fetch.block(at: wanted.lowerBound) {
            case .block(let block):
                passed(block, of: object)
                return block
            case .passed: continue
            case .gone:
                forget(fetch)
                return nil
            case .failed(let error):
                forget(fetch)
                failures += 1
                // It failed before it was asked for, or was canceled with another reader.
                let mayHelp = isOld || error == .cancelled
                if Task.isCancelled || !mayHelp || failures > 2 { throw error }
            }
        }
    }

    /// Ends all requests.
    func stop() async {
        let last = streams.withLock { $0.take() } ?? []
        for fetch in last.flatMap(\.fetches) { fetch.cancel() }
        for fetch in last.flatMap(\.fetches) { await fetch.end() }
    }

    /// Requests what is missing, and returns the fetch of the first piece.
    private func plan(_ object: StoredObject, _ wanted: Range<Int>) -> ObjectFetch? {
        streams.withLock { streams in
            guard var all = streams else { return nil }
            let first = wanted.lowerBound
            let index = all.firstIndex { $0.upload == object.upload && ($0.first...$0.end).contains(first) }
            // A reader that begins with a whole block will read on.
            let isWhole = first == 0 && wanted.count >= OpenedBlock.pieces
            var stream =
                index.map { all.remove(at: $0) }
                ?? Stream(upload: object.upload, first: first, isInOrder: isWhole)
            if index != nil, wanted.upperBound > stream.end { stream.isInOrder = true }
            stream.goesOn = index != nil
            stream.first = first
            while let fetch = stream.fetches.first, fetch.pieces.upperBound <= first {
                fetch.drop()
                stream.fetches.removeFirst()
            }
            stream.fetches.first?.pass(first * StoredObject.piece)
            extend(&stream, of: object, wanted, others: all.count { $0.isInOrder })
            for old in all.dropFirst(Self.mostStreams - 1) { for fetch in old.fetches { fetch.drop() } }
            streams = [stream] + all.prefix(Self.mostStreams - 1)
            return stream.fetches.first
        }
    }

    private func extend(
        _ stream: inout Stream, of object: StoredObject, _ wanted: Range<Int>, others: Int
    ) {
        let window = Self.window / (others + 1)
        var end = min(wanted.upperBound, wanted.lowerBound + window)
        if stream.isInOrder {
            end = max(end, wanted.lowerBound + (stream.goesOn ? window : window / 2))
        }
        end = min(max(end, wanted.lowerBound + 1), object.pieces.upperBound)
        while stream.end < end {
            let start = stream.end
            var last = min((start / Self.stretch + 1) * Self.stretch, object.pieces.upperBound)
            if !stream.isInOrder { last = min(last, end) }
            let pieces = start..<last
            stream.fetches.append(
                ObjectFetch(object, pieces) { [source] deliver in await source(object, pieces, deliver) })
        }
    }

    /// A reader that has come to the end needs nothing more.
    private func passed(_ block: OpenedBlock, of object: StoredObject) {
        guard block.range.upperBound == object.size else { return }
        streams.withLock { streams in
            streams?.removeAll {
                $0.upload == object.upload && $0.isInOrder && $0.end == object.pieces.upperBound
            }
        }
    }

    /// What follows it goes, too: a stream has no gap.
    private func forget(_ fetch: ObjectFetch) {
        streams.withLock { streams in
            guard var all = streams else { return }
            for index in all.indices {
                guard let place = all[index].fetches.firstIndex(where: { $0 === fetch }) else { continue }
                for next in all[index].fetches[place...] { next.drop() }
                all[index].fetches.removeSubrange(place...)
            }
            streams = all.filter { !$0.fetches.isEmpty }
        }
    }
}
