import FoundationEssentials
import Glibc
import MailKernelAPI

/// Buffers a message until it is complete: the fields above it in an export depend on its last byte.
///
/// Large messages are buffered on the disk of the export.
actor MessageSpool: ByteSink {
    private static let inMemory = 1 << 22
    private static let piece = 1 << 20

    private let folder: URL
    private var memory = Data()
    private var descriptor: CInt = -1
    private var size = 0
    private var checksum: UInt32 = 0
    private var lineEnds = 0
    private var returns = 0
    private var endsInReturn = false

    init(_ folder: URL) {
        self.folder = folder
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Forgets the last message.
    func clear() throws(ExportProblem) {
        memory = Data()
        (size, checksum, lineEnds, returns, endsInReturn) = (0, 0, 0, 0, false)
        guard descriptor >= 0 else { return }
        guard ftruncate(descriptor, 0) == 0 else { throw ExportProblem(folder.path) }
    }

    func write(_ bytes: Data) throws {
        count(bytes)
        size += bytes.count
        checksum = Checksum.adding(bytes, to: checksum)
        memory.append(bytes)
        if memory.count > Self.inMemory { try flush() }
    }

    var form: ArchiveEntry.Form {
        ArchiveEntry.Form(size: size, dropsReturns: lineEnds > 0 && returns == lineEnds, checksum: checksum)
    }

    /// A part of the message; none behind its end.
    func read(at offset: Int) throws(ExportProblem) -> Data {
        guard offset < size else { return Data() }
        let onDisk = size - memory.count
        guard offset < onDisk else { return Data(memory.dropFirst(offset - onDisk).prefix(Self.piece)) }
        var piece = Data(count: min(Self.piece, onDisk - offset))
        let wanted = piece.count
        let count = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
        guard count > 0 else { throw ExportProblem(folder.path) }
        return piece.prefix(count)
    }

    /// Line ends, and those that have a `\r` before them.
    private func count(_ bytes: Data) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lineEnds += 1
                let hasReturn = newline > 0 ? bytes[newline - 1] == UInt8(ascii: "\r") : endsInReturn
                if hasReturn { returns += 1 }
                rest = rest[(newline + 1)...]
            }
            if let last = bytes.last { endsInReturn = last == UInt8(ascii: "\r") }
        }
    }

    private func flush() throws(ExportProblem) {
        if descriptor < 0 { try open() }
        try writeAll(memory, to: descriptor, at: size - memory.count)
        memory = Data()
    }

    /// A file without a name, which is gone with the program.
    private func open() throws(ExportProblem) {
        let name = ".mailkernel.\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        let path = folder.appending(path: name).path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ExportProblem(path) }
        unlink(path)
    }

    private func writeAll(_ bytes: Data, to descriptor: CInt, at start: Int) throws(ExportProblem) {
        let isWritten = bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(start + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        guard isWritten else { throw ExportProblem(folder.path) }
    }
}
