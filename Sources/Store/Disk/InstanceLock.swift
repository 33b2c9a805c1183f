import FoundationEssentials
import Glibc

/// Holds a data folder for this process. The lock goes with the process, however it ends.
package final class InstanceLock: Sendable {
    private let descriptor: CInt

    /// - Throws: `InUse` with the process that holds the folder.
    package init(folder: URL) throws {
        let path = folder.appending(path: "lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FolderError(folder: folder, action: "written") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw InUse(folder: folder, processID: holder)
        }
        let text = "\(getpid())\n"
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.utf8.count, 0)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether a kernel runs on this folder.
    package static func isHeld(folder: URL) -> Bool {
        let descriptor = open(folder.appending(path: "lock").path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func holder(_ descriptor: CInt) -> Int? {
        let text = String(unsafeUninitializedCapacity: 32) {
            max(0, pread(descriptor, $0.baseAddress, 32, 0))
        }
        return Int(text.prefix { $0.isNumber })
    }

    /// Another kernel runs on the same data.
    package struct InUse: Error, CustomStringConvertible {
        package let folder: URL
        package let processID: Int?

        package var description: String {
            let holder = processID.map { "process \($0)" } ?? "another process"
            return
                "mailkernel is already running on \(folder.path) in \(holder). Stop it first, or choose another "
                + "folder with --data."
        }
    }
}
