import FoundationEssentials
import Glibc
import Synchronization

/// A small JSON file that several processes change: the running program and its commands.
///
/// Its contents are replaced as a whole, so that a reader never sees half of them, and only its user can
/// read it. It is read again when it has changed.
final class PrivateFile<Contents: Codable & Sendable>: Sendable {
    private struct Version: Equatable {
        var inode: UInt64
        var seconds: Int
        var nanoseconds: Int
        var size: Int64
    }

    let url: URL
    private let empty: Contents
    private let cached = Mutex<(version: Version, contents: Contents)?>(nil)

    init(_ url: URL, empty: Contents) {
        self.url = url
        self.empty = empty
    }

    /// The content of the file; empty if it does not exist.
    func read() throws(LocalServerError) -> Contents {
        guard let version = try version() else { return empty }
        if let contents = cached.withLock({ $0?.version == version ? $0?.contents : nil }) { return contents }
        let contents: Contents
        do {
            contents = try JSONDecoder().decode(Contents.self, from: Data(contentsOf: url))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return empty
        } catch is DecodingError {
            throw .file(
                "\(url.path) is damaged. Move it away to start over; programs and browsers must then get access "
                    + "again.")
        } catch {
            throw .file("\(url.path) cannot be read. Check its permissions.")
        }
        cached.withLock { $0 = (version, contents) }
        return contents
    }

    /// Changes the content under an exclusive lock. It is on disk when this returns.
    @discardableResult
    func change<Result>(
        _ body: (inout Contents) throws(LocalServerError) -> Result
    ) throws(LocalServerError) -> Result {
        let lock = try lock()
        defer { close(lock) }
        var contents = try read()
        let result = try body(&contents)
        try replace(with: contents)
        return result
    }

    private func replace(with contents: Contents) throws(LocalServerError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .deferredToDate
        guard let data = try? encoder.encode(contents) else { throw cannotWrite }
        let temporary = url.path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw cannotWrite }
        let isWritten =
            fchmod(descriptor, 0o600) == 0
            && data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == data.count
            && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, url.path) == 0 else {
            unlink(temporary)
            throw cannotWrite
        }
    }

    private func lock() throws(LocalServerError) -> CInt {
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let descriptor = open(url.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw cannotWrite }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw cannotWrite
            }
        }
        return descriptor
    }

    private var cannotWrite: LocalServerError {
        .file("\(url.path) cannot be written. Check its permissions and the free disk space.")
    }

    private func version() throws(LocalServerError) -> Version? {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .file("\(url.path) cannot be read. Check its permissions.")
        }
        return Version(
            inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size))
    }
}
