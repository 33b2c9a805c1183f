import FoundationEssentials
import Glibc

/// A file of this process that names the plugin which ends it, and that is locked as long as the process runs.
final class CrashJournal: Sendable {
    let path: String
    let descriptor: CInt

    /// Nil if it cannot be made.
    init?(at path: String) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit {
        guard descriptor >= 0 else { return }
        unlink(path)
        close(descriptor)
    }

    /// False if it cannot be written.
    func write(_ entry: PluginCrash) -> Bool {
        guard let data = try? JSONEncoder().encode([entry]) else { return false }
        let written = data.withUnsafeBytes { bytes in
            ftruncate(descriptor, 0) == 0 ? pwrite(descriptor, bytes.baseAddress, bytes.count, 0) : -1
        }
        return written == data.count
    }

    func clear() {
        _ = ftruncate(descriptor, 0)
    }
}
