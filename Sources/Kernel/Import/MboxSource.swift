import FoundationEssentials
import Glibc
import MailKernelAPI

/// An mbox file. Messages are taken as they stand between their “From ” lines; quoting is left as it is, for
/// nobody can tell any more which lines had it from the beginning.
struct MboxSource: MailSource {
    private static let longestMessage = Blobs.messageLimit
    private static let chunk = 1 << 20

    let size: Int
    private(set) var position = 0
    private let url: URL
    private let file: ReadOnlyFile
    private let name: String
    /// Whether its separators have a time, as they should: then a line without one is none.
    private let isDated: Bool
    /// What was read, from `begin` on not yet taken.
    private var buffer = Data()
    private var begin = 0
    private var readOffset = 0

    init(_ url: URL) throws {
        self.url = url
        file = try ReadOnlyFile(url)
        size = file.size
        name = url.deletingPathExtension().lastPathComponent
        let line = file.read(at: 0, count: 1000).prefix { $0 != UInt8(ascii: "\n") }
        guard size > 0, Self.isSeparator(line) else { throw ImportProblem.noMail(url.path) }
        isDated = Self.date(line) != nil
    }

    mutating func next() throws -> FoundItem? {
        guard fill(atLeast: 5), begin < buffer.count else { return nil }
        let start = position
        var end = boundary()
        while end == nil, buffer.count - begin <= Self.longestMessage, grow() { end = boundary() }
        guard (end ?? buffer.count) - begin <= Self.longestMessage else {
            skipToSeparator()
            return .failure(
                ImportFailure(
                    place: "\(url.lastPathComponent), byte \(start)",
                    reason: "the message is larger than \(Self.longestMessage / 1_000_000) MB"))
        }
        let piece = buffer[begin..<(end ?? buffer.count)]
        begin = piece.endIndex
        searched = begin
        position += piece.count
        guard let lineEnd = piece.firstIndex(of: UInt8(ascii: "\n")) else { return try next() }
        let separator = piece[..<lineEnd]
        let bytes = Self.withoutLastLine(piece[(lineEnd + 1)...])
        guard !bytes.isEmpty else {
            return .failure(
                ImportFailure(
                    place: "\(url.lastPathComponent), byte \(start)", reason: "the message is empty"))
        }
        let header = ImportHeader(bytes)
        return .message(
            FoundMessage(
                bytes: bytes, place: [name], keywords: header.statusKeywords,
                receivedAt: Self.date(separator) ?? header.date,
                labels: header.gmailLabels))
    }

    /// The empty line before the next separator belongs to the mbox and not to the message.
    private static func withoutLastLine(_ bytes: Data.SubSequence) -> Data {
        var bytes = bytes
        if bytes.suffix(2).elementsEqual("\n\n".utf8) {
            bytes = bytes.dropLast()
        } else if bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            bytes = bytes.dropLast(2)
        }
        return Data(bytes)
    }

    /// Passes by the rest of a message that is not taken.
    private mutating func skipToSeparator() {
        var end = boundary()
        while end == nil {
            // At the end of what was read a separator may have begun.
            let rest = max(begin, buffer.count - 300)
            position += rest - begin
            (begin, searched) = (rest, rest)
            guard grow() else { break }
            end = boundary()
        }
        let next = end ?? buffer.count
        position += next - begin
        (begin, searched) = (next, next)
    }

    private mutating func fill(atLeast count: Int) -> Bool {
        while buffer.count - begin < count {
            guard grow() else { return begin < buffer.count }
        }
        return true
    }

    private mutating func grow() -> Bool {
        let bytes = file.read(at: readOffset, count: Self.chunk)
        readOffset += bytes.count
        // What was taken goes now, and not message by message.
        if begin > 0 {
            buffer = Data(buffer[begin...])
            searched -= begin
            begin = 0
        }
        buffer.append(bytes)
        return !bytes.isEmpty
    }

    /// Up to here there is no separator but the one that begins the message.
    private var searched = 0

    /// Where the next message begins: at a separator behind an empty line.
    private mutating func boundary() -> Int? {
        var from = max(begin, searched)
        while let newline = Self.find("\nFrom ", in: buffer, from: from) {
            from = newline + 1
            let isAfterEmptyLine = Self.isEmptyLine(before: newline, in: buffer[begin...])
            let line = buffer[from...].prefix(200)
            // The line is not whole yet: look again with more.
            guard line.contains(UInt8(ascii: "\n")) || line.count == 200 || readOffset >= size else { break }
            guard isAfterEmptyLine else { continue }
            let separator = line.prefix { $0 != UInt8(ascii: "\n") }
            if Self.isSeparator(separator), !isDated || Self.date(separator) != nil { return from }
        }
        searched = max(begin, buffer.count - 300)
        return nil
    }

    private static func isEmptyLine(before newline: Int, in data: Data.SubSequence) -> Bool {
        let before = data[..<newline].suffix(2)
        return before.last == UInt8(ascii: "\n") || before.elementsEqual("\n\r".utf8)
    }

    /// “From ”, somebody, and a time: bodies have lines that begin with “From ” too.
    private static func isSeparator(_ line: Data.SubSequence) -> Bool {
        guard line.starts(with: "From ".utf8) else { return false }
        let bytes = Array(line)
        return bytes.indices.dropFirst(7).dropLast(2).contains { index in
            bytes[index] == UInt8(ascii: ":") && isDigit(bytes[index - 1]) && isDigit(bytes[index + 1])
        }
    }

    private static func date(_ separator: Data.SubSequence) -> Date? {
        SeparatorDate.read(String(decoding: separator, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// A line end that this text follows.
    private static func find(_ text: StaticString, in data: Data, from: Int) -> Int? {
        let count = text.utf8CodeUnitCount
        return data.withUnsafeBytes { bytes -> Int? in
            var rest = bytes.dropFirst(from - data.startIndex)
            while rest.count >= count, let start = rest.baseAddress,
                let newline = memchr(start, CInt(UInt8(ascii: "\n")), rest.count - count + 1)
            {
                let offset = start.distance(to: UnsafeRawPointer(newline))
                if memcmp(newline, text.utf8Start, count) == 0 {
                    return data.startIndex + rest.startIndex + offset
                }
                rest = rest.dropFirst(offset + 1)
            }
            return nil
        }
    }
}

extension Slice where Base == UnsafeRawBufferPointer {
    fileprivate var baseAddress: UnsafeRawPointer? { UnsafeRawBufferPointer(rebasing: self).baseAddress }
}

/// A file that is only read, by place.
final class ReadOnlyFile: Sendable {
    let size: Int
    private let descriptor: CInt

    init(_ url: URL) throws {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImportProblem.unreadable(url.path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            Glibc.close(descriptor)
            throw ImportProblem.unreadable(url.path)
        }
        size = Int(status.st_size)
    }

    deinit { Glibc.close(descriptor) }

    /// Fewer bytes at the end, or where the disk fails.
    func read(at offset: Int, count: Int) -> Data {
        var data = Data(count: count)
        let length = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        return data.prefix(max(0, length))
    }
}
