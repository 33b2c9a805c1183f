import FoundationEssentials

/// The parts of a file that tell what it is.
package struct FileSample: Sendable {
    /// The first bytes; more of a document that is one text.
    package var head: [UInt8] = []
    /// The last bytes, from the directory of a ZIP archive on. All of a short file is in both.
    package var tail: [UInt8] = []

    package init() {}

    /// A file that is no longer than its sample.
    package init(whole: [UInt8]) {
        head = whole
        tail = whole
    }

    /// A file that is in memory.
    package init(_ file: Data) {
        self.init()
        head = Array(file.prefix(Self.headSize))
        if isDocument { head = Array(file.prefix(Self.documentSize)) }
        tail = Array(file.suffix(file.count - Self.tailStart(size: file.count)))
        if let start = directory(size: file.count) { tail = Array(file.dropFirst(start)) }
    }

    /// - Parameter read: bytes from a place in the file.
    package static func read(
        size: Int, _ read: (_ offset: Int, _ count: Int) async throws -> Data
    ) async throws -> FileSample {
        var sample = FileSample()
        guard size > 0 else { return sample }
        sample.head = Array(try await read(0, min(size, headSize)))
        if sample.isDocument, size > headSize {
            sample.head = Array(try await read(0, min(size, documentSize)))
        }
        let start = tailStart(size: size)
        sample.tail = start == 0 ? sample.head : Array(try await read(start, size - start))
        if let start = sample.directory(size: size) {
            sample.tail = Array(try await read(start, size - start))
        }
        return sample
    }

    private static let headSize = 64 * 1024
    private static let documentSize = 2_000_000
    /// Directories of archives with tens of thousands of files are longer.
    private static let longestDirectory = 4_000_000

    private var isDocument: Bool { DocumentText.isOne(head) }

    /// A ZIP archive ends with 22 bytes about its directory, and a comment.
    private static func tailStart(size: Int) -> Int { max(size - headSize, 0) }

    /// Where the directory of an archive begins, if that is before the tail.
    private func directory(size: Int) -> Int? {
        guard let end = tail.lastPlace(of: [0x50, 0x4B, 0x05, 0x06]), end + 16 <= tail.count else {
            return nil
        }
        let length = (0..<4).reduce(0) { $0 | Int(tail[end + 12 + $1]) << (8 * $1) }
        let start = size - tail.count + end - length
        return length > end && length <= Self.longestDirectory && start >= 0 ? start : nil
    }
}

extension [UInt8] {
    func lastPlace(of part: [UInt8]) -> Int? {
        guard let first = part.first, count >= part.count else { return nil }
        return (0...(count - part.count)).last { self[$0] == first && has(part, at: $0) }
    }

    func has(_ part: [UInt8], at place: Int) -> Bool {
        place + part.count <= count && self[place..<place + part.count].elementsEqual(part)
    }
}
