import FoundationEssentials

/// Why a file could not be read to its end, for people: “the file …”.
struct BrokenFile: Error {
    let reason: String
}

/// The bytes of a file from beginning to end, unpacked if it is compressed.
protocol ByteStream: Sendable {
    /// How much of the file was used.
    var consumed: Int { get }

    /// The next bytes; none at the end.
    mutating func read() throws(BrokenFile) -> Data
}

/// A file as it is.
struct PlainStream: ByteStream {
    private static let chunk = 1 << 20

    private let file: ReadOnlyFile
    private(set) var consumed = 0

    init(_ file: ReadOnlyFile) {
        self.file = file
    }

    mutating func read() throws(BrokenFile) -> Data {
        let bytes = file.read(at: consumed, count: Self.chunk)
        if bytes.isEmpty, consumed < file.size {
            throw BrokenFile(reason: "the file cannot be read completely")
        }
        consumed += bytes.count
        return bytes
    }
}

/// Text whose lines end with a carriage return alone, as on old Macs, with line feeds.
struct ReturnStream: ByteStream {
    private var stream: any ByteStream

    init(_ stream: any ByteStream) {
        self.stream = stream
    }

    var consumed: Int { stream.consumed }

    mutating func read() throws(BrokenFile) -> Data { try stream.read().withLineFeeds }
}

extension Data {
    /// Whether lines end with a carriage return alone.
    var hasOnlyReturns: Bool { contains(UInt8(ascii: "\r")) && !contains(UInt8(ascii: "\n")) }

    var withLineFeeds: Data { Data(map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: "\n") : $0 }) }
}

extension ReadOnlyFile {
    var isPacked: Bool { read(at: 0, count: 3).elementsEqual([0x1F, 0x8B, 0x08]) }

    func stream() -> any ByteStream {
        isPacked ? GzipStream(self) : PlainStream(self)
    }

    /// All of it, unpacked.
    func whole(upTo limit: Int) throws(BrokenFile) -> Data {
        var stream = stream()
        var bytes = Data()
        while true {
            let piece = try stream.read()
            if piece.isEmpty { return bytes }
            bytes.append(piece)
            guard bytes.count <= limit else {
                throw BrokenFile(reason: "the message is larger than \(limit / 1_000_000) MB")
            }
        }
    }
}
