import FoundationEssentials
import Glibc
import MailKernelAPI

/// An open file, closed when it is no longer held.
final class OpenFile: Sendable {
    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    static func make(_ path: String) throws(StorageError) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PosixError.writing() }
        return OpenFile(descriptor)
    }

    /// For writing, made if it is not there.
    static func writing(_ path: String) throws(StorageError) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PosixError.writing() }
        return OpenFile(descriptor)
    }

    /// For reading; nil if there is no such file.
    static func reading(_ path: String) throws(StorageError) -> OpenFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw PosixError.reading()
        }
        return OpenFile(descriptor)
    }

    /// Releases a lock now, even if the file is still open: in a task that is about to release it, or in a
    /// child process that has not closed it yet.
    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Makes a short text all that is in the file.
    func replace(_ text: String) throws(StorageError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw PosixError.writing()
        }
        try append(Data(text.utf8))
    }

    func append(_ data: Data) throws(StorageError) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw PosixError.writing()
            }
            rest = rest.dropFirst(written)
        }
    }

    func read(at offset: Int, count: Int) throws(StorageError) -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let got = data.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw PosixError.reading()
            }
            if got == 0 { break }
            filled += got
        }
        return data.prefix(filled)
    }

    /// Returns once the written data would survive a power cut.
    func synchronize() throws(StorageError) {
        guard fsync(descriptor) == 0 else { throw PosixError.writing() }
    }

    /// Makes the names in a folder as durable as the files.
    static func synchronizeFolder(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PosixError.writing() }
        try OpenFile(descriptor).synchronize()
    }
}
