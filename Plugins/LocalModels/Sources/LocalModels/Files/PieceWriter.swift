import FoundationEssentials
import MailKernelAPI

/// Writes received bytes to a file, one piece after the other.
///
/// Large pieces bypass the page cache: a model would displace useful data, and filling the cache takes longer
/// than writing to the disk. A small piece is in the file when `add` returns; of a large one, less than a
/// page can be left for `flush`.
final class PieceWriter {
    private static let page = 4096
    private static let room = 4 << 20
    /// Pieces that are smaller are not worth a turn of the disk.
    private static let large = 512 << 10

    private let file: OpenFile
    private var pages: UnsafeMutableRawBufferPointer?
    /// Bytes at the beginning of `pages` that are not in the file yet.
    private var held = 0
    /// The position in the file; by default the end of the last piece.
    private var offset: Int
    private var canPassCache = true

    init(_ file: OpenFile, at offset: Int) {
        self.file = file
        self.offset = offset
    }

    deinit { pages?.deallocate() }

    func add(_ bytes: Data) throws(ModelError) {
        guard bytes.count >= Self.large, canPassCache else {
            try flush()
            try file.write(bytes, at: offset)
            offset += bytes.count
            return
        }
        var rest = bytes
        let skew = (offset + held) % Self.page
        if held == 0, skew > 0 {
            let head = rest.prefix(Self.page - skew)
            try file.write(head, at: offset)
            offset += head.count
            rest = rest.dropFirst(head.count)
        }
        let pages = self.pages ?? .allocate(byteCount: Self.room, alignment: Self.page)
        self.pages = pages
        while !rest.isEmpty {
            let part = rest.prefix(pages.count - held)
            part.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: pages[held...]))
            held += part.count
            rest = rest.dropFirst(part.count)
            try writePages(of: pages)
        }
    }

    /// Returns when the file holds everything that was added.
    func flush() throws(ModelError) {
        guard held > 0, let pages else { return }
        try file.write(UnsafeRawBufferPointer(rebasing: pages[..<held]), at: offset)
        offset += held
        held = 0
    }

    private func writePages(of pages: UnsafeMutableRawBufferPointer) throws(ModelError) {
        let whole = held - held % Self.page
        guard whole > 0 else { return }
        let ready = UnsafeRawBufferPointer(rebasing: pages[..<whole])
        let written = try file.writePastCache(ready, at: offset)
        canPassCache = written != nil
        // The rest of what the disk took in part, which has a reason that the usual way can tell.
        try file.write(
            UnsafeRawBufferPointer(rebasing: ready[(written ?? 0)...]), at: offset + (written ?? 0))
        let tail = UnsafeRawBufferPointer(rebasing: pages[whole..<held])
        pages.copyMemory(from: tail)
        offset += whole
        held -= whole
    }
}
