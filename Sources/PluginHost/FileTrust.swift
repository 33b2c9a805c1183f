import FoundationEssentials
import Glibc

/// Says whether somebody else could put their code in place of a plugin's.
enum FileTrust {
    /// Follows symbolic links: what counts is the file that will be opened.
    static func check(_ path: String) throws(Refusal) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .unsafePermissions(path: path, "cannot be examined: \(String(cString: strerror(errno)))")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unsafePermissions(path: path, "belongs to another user")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw .unsafePermissions(path: path, "can be changed by other users")
        }
    }
}
