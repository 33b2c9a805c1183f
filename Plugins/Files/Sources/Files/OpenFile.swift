import FoundationEssentials
import Glibc

/// An open file, closed when it is no longer held.
public final class OpenFile<Failure: FileFailure>: Sendable {
    public let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// - Parameter flags: those of the system. A file that they create is for the user alone.
    public convenience init(_ path: String, _ flags: CInt) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .writing() }
        self.init(descriptor)
    }

    deinit { close(descriptor) }

    /// A new file for the user alone.
    public static func make(_ path: String) throws(Failure) -> OpenFile {
        try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
    }

    /// For writing, made if it is not there.
    public static func writing(_ path: String) throws(Failure) -> OpenFile {
        try OpenFile(path, O_RDWR | O_CREAT)
    }

    /// For reading; nil if there is no such file.
    public static func reading(_ path: String) throws(Failure) -> OpenFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .reading()
        }
        return OpenFile(descriptor)
    }

    public static func folder(_ path: String) throws(Failure) -> OpenFile {
        try OpenFile(path, O_RDONLY | O_DIRECTORY)
    }

    public var size: Int {
        get throws(Failure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .reading() }
            return Int(status.st_size)
        }
    }

    /// Locks the file for writing, also within this program. False if it is already locked.
    public func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Releases a lock now, even if the file is still open: in a task that is about to release it, or in a
    /// child process that has not closed it yet.
    public func unlock() { _ = flock(descriptor, LOCK_UN) }

    public func append(_ data: Data) throws(Failure) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw .writing()
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end.
    public func read(at offset: Int, count: Int) throws(Failure) -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let got = data.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw .reading()
            }
            if got == 0 { break }
            filled += got
        }
        return filled == count ? data : data.prefix(filled)
    }

    /// Returns once the written data would survive a power cut.
    public func synchronize() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw .writing() }
    }

    /// Makes the names in a folder as durable as the files.
    public static func synchronizeFolder(_ path: String) throws(Failure) {
        try folder(path).synchronize()
    }
}
