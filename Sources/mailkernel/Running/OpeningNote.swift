import FoundationEssentials
import Glibc
import MailKernelAPI

/// A file that is there while the store is being opened.
struct OpeningNote {
    private let file: URL

    init(_ file: URL) {
        self.file = file
    }

    var isThere: Bool { access(file.path, F_OK) == 0 }

    /// It survives a power cut once this returns.
    func write() throws(StorageError) {
        let descriptor = Glibc.open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.error() }
        let folder = Glibc.open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.error() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.error() }
    }

    /// If it reappears after a power cut, mail is read again, which is harmless.
    func remove() {
        unlink(file.path)
    }

    private static func error() -> StorageError {
        errno == ENOSPC ? .full : .unwritable(reason: String(cString: strerror(errno)))
    }
}
