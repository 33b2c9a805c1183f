import Glibc
import MailKernelAPI

/// Room that the store holds on the disk. When the disk is full it is lent to what makes room, such as deleting
/// mail, which has to be written too; it is held again as soon as there is room.
///
/// What is true is in the file alone: held, it has its size; lent, it is empty; on a disk too small for it there is
/// none, and nothing is lent.
struct Reserve: Sendable {
    /// What deleting a few hundred emails writes before anything becomes free.
    static let size = 4 << 20
    /// A disk with less room than this is used to its end.
    private static let least = 4 * size

    let path: String

    /// While it is lent nothing may come in: that would use up what deleting needs.
    var isLent: Bool { length == 0 }

    /// Holds room where there is enough. A store without a reserve works all the same.
    func hold() {
        switch length {
        case Self.size: return
        case nil: if freeBytes >= Self.least { _ = fill() }
        default: _ = fill()
        }
    }

    /// Gives the room to whatever is written next; false if there is none to give.
    func lend() -> Bool {
        guard let length, length > 0 else { return false }
        return truncate(path, 0) == 0
    }

    /// Lets what comes in pass only while nothing is lent.
    func demand() throws(StorageError) {
        guard !isLent || fill() else { throw .full }
    }

    private func fill() -> Bool {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(Self.size)) == 0 { return true }
        // Some file systems keep what they could find.
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
