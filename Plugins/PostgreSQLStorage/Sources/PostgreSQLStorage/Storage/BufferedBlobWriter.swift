import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization

/// Receives a blob in a file without a name on this computer, and stores it as a whole once it is complete: an unfinished
/// one leaves nothing behind, neither here nor on the server.
final class BufferedBlobWriter: BlobWriter {
    private let info: BlobInfo
    private let storage: PostgreSQLStorage
    /// Nil once it is finished or discarded.
    private let file: Mutex<NamelessFile?>

    init(_ info: BlobInfo, into storage: PostgreSQLStorage) throws(StorageError) {
        self.info = info
        self.storage = storage
        file = Mutex(try NamelessFile(in: storage.buffers))
    }

    func write(_ bytes: Data) async throws {
        guard let file = file.withLock({ $0 }) else { throw Self.finished }
        try file.append(bytes)
    }

    func finish() async throws {
        guard let file = file.withLock({ $0.take() }) else { throw Self.finished }
        try await storage.keep(info, size: try file.size) { offset, count throws(StorageError) in
            try file.read(at: offset, count: count)
        }
    }

    func discard() async { file.withLock { $0 = nil } }

    private static var finished: StorageError { .invalid(reason: "the blob is finished") }
}

/// A file that is gone as soon as it is closed.
private final class NamelessFile: Sendable {
    private let file: CInt

    init(in folder: String) throws(StorageError) {
        // O_TMPFILE, a macro that Swift does not import.
        let withoutName = CInt(0o20000000) | O_DIRECTORY
        file = open(folder, withoutName | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure() }
    }

    deinit { close(file) }

    func append(_ bytes: Data) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure() }
            written += count
        }
    }

    var size: Int {
        get throws(StorageError) {
            var state = stat()
            guard fstat(file, &state) == 0 else {
                throw .unreadable(reason: String(cString: strerror(errno)))
            }
            return Int(state.st_size)
        }
    }

    /// Fewer than `count` bytes at the end.
    func read(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
        var failure: CInt?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let more = pread(
                    file, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
                if more < 0, errno == EINTR { continue }
                if more < 0 { failure = errno }
                guard more > 0 else { break }
                filled += more
            }
        }
        if let failure { throw .unreadable(reason: String(cString: strerror(failure))) }
        return bytes
    }

    private static func failure() -> StorageError {
        errno == ENOSPC || errno == EDQUOT ? .full : .unwritable(reason: String(cString: strerror(errno)))
    }
}
