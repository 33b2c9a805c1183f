import Glibc

/// Disk space reserved in an account's folder. On a full disk it is lent to operations that free space, such
/// as deleting mail, which must be written to the index first; it is reserved again once there is space.
///
/// The state is the file itself, because several programs may use it: reserved, it has its full size; lent,
/// it is empty. On a disk that is too small, there is no reserve.
struct Reserve: Sendable {
    /// What the index and its log need for some hundred messages.
    static let size = 1 << 20
    /// A disk with less room than this is used to its end.
    private static let least = 16 * size

    let path: String

    /// While it is lent, new mail is refused: it would use up the space for deletions.
    var isLent: Bool { length == 0 }

    /// Holds room where there is enough.
    func hold() {
        switch length {
        case Self.size: return
        case nil: if freeBytes >= Self.least { _ = fill() }
        default: _ = fill()
        }
    }

    /// Frees the space for the next write; false if there is none.
    func lend() -> Bool {
        guard let length, length > 0 else { return false }
        return truncate(path, 0) == 0
    }

    /// Allows new mail only while nothing is lent.
    func demand() throws(FolderError) {
        guard !isLent || fill() else { throw .full }
    }

    /// Runs what takes little room or makes some, on a full disk with the room that is held for it.
    func makeRoom<Answer>(_ body: () throws(FolderError) -> Answer) throws(FolderError) -> Answer {
        do throws(FolderError) {
            return try body()
        } catch {
            guard case .full = error, lend() else { throw error }
            return try body()
        }
    }

    private func fill() -> Bool {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(Self.size)) == 0 { return true }
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
