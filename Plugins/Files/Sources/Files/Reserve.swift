import Glibc

/// Reserved disk space. On a full disk it is lent to operations that free space, such as deleting mail, which
/// must be written too; it is reserved again once there is space.
///
/// The state is the file itself, because several programs may use it: reserved, it has its full size; lent, it
/// is empty; on a disk that is too small, there is no reserve.
public struct Reserve<Failure: FileFailure>: Sendable {
    /// A disk with less room than this is used to its end.
    private static var least: Int { 16 << 20 }

    public let path: String
    private let size: Int

    public init(path: String, size: Int) {
        self.path = path
        self.size = size
    }

    /// While it is lent, new data is refused: it would use up the space for deletions.
    public var isLent: Bool { length == 0 }

    /// Reserves space if there is enough. Mail can also be kept without a reserve.
    public func hold() {
        switch length {
        case size: return
        case nil: if freeBytes >= Self.least { _ = fill() }
        default: _ = fill()
        }
    }

    /// Frees the space for the next write; false if there is none.
    public func lend() -> Bool {
        guard let length, length > 0 else { return false }
        return truncate(path, 0) == 0
    }

    /// Allows new data only while nothing is lent.
    public func demand() throws(Failure) {
        guard !isLent || fill() else { throw .full }
    }

    private func fill() -> Bool {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(size)) == 0 { return true }
        // Some file systems keep a partial allocation.
        ftruncate(file, 0)
        return false
    }

    private var length: Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    private var freeBytes: Int {
        var status = statvfs()
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        return statvfs(folder, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
    }
}
