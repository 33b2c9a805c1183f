import CLocalFolders
import FoundationEssentials
import Glibc

/// An open file, closed when it is no longer held.
final class OpenFile: Sendable {
    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A new file for the user alone.
    static func make(_ path: String) throws(FolderError) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .writing() }
        return OpenFile(descriptor)
    }

    /// For writing, made if it is not there.
    static func writing(_ path: String) throws(FolderError) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .writing() }
        return OpenFile(descriptor)
    }

    /// For reading; nil if there is no such file.
    static func reading(_ path: String) throws(FolderError) -> OpenFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .writing()
        }
        return OpenFile(descriptor)
    }

    static func folder(_ path: String) throws(FolderError) -> OpenFile {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .writing() }
        return OpenFile(descriptor)
    }

    var size: Int {
        get throws(FolderError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .writing() }
            return Int(status.st_size)
        }
    }

    func append(_ data: Data) throws(FolderError) {
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
    func read(at offset: Int, count: Int) throws(FolderError) -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let got = data.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw .writing()
            }
            if got == 0 { break }
            filled += got
        }
        return filled == count ? data : data.prefix(filled)
    }

    /// Returns once the written data would survive a power cut.
    func synchronize() throws(FolderError) {
        guard fsync(descriptor) == 0 else { throw .writing() }
    }

    /// The same for all that was written to this file system: cheaper than many files one by one.
    func synchronizeFileSystem() throws(FolderError) {
        guard syncfs(descriptor) == 0 else { throw .writing() }
    }

    /// Starts writing to the disk without waiting for it.
    func beginWriting() {
        _ = sync_file_range(descriptor, 0, 0, 2)  // SYNC_FILE_RANGE_WRITE
    }

    /// A file's date is when its message came, so that a folder of them means something by itself.
    func setDate(_ date: Date) {
        let seconds = max(0, date.timeIntervalSince1970.rounded(.down))
        let time = timespec(tv_sec: time_t(min(seconds, 1e11)), tv_nsec: 0)
        // Only for people who look into the folder: nothing depends on it.
        _ = withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times[0] = time
            times[1] = time
            return futimens(descriptor, times.baseAddress)
        }
    }
}
