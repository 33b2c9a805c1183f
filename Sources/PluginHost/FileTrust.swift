import FoundationEssentials
import Glibc

/// Checks whether other users could replace a plugin's code.
enum FileTrust {
    /// Checks the file that the path resolves to, and every folder above it: anyone who can rename a folder
    /// can replace it.
    static func check(_ path: String) throws(Refusal) {
        guard let real = realpath(path, nil) else { throw cannotBeExamined(path) }
        defer { free(real) }
        var place = URL(filePath: String(cString: real))
        try checkOne(place.path, isAncestor: false)
        while place.path != "/" {
            place.deleteLastPathComponent()
            try checkOne(place.path, isAncestor: true)
        }
    }

    private static func checkOne(_ path: String, isAncestor: Bool) throws(Refusal) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw cannotBeExamined(path) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unsafePermissions(path: path, "belongs to another user")
        }
        // In a folder such as /tmp, users can rename only their own files.
        let isSticky = isAncestor && status.st_mode & S_ISVTX != 0
        guard isSticky || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw .unsafePermissions(path: path, "can be changed by other users")
        }
    }

    private static func cannotBeExamined(_ path: String) -> Refusal {
        .unsafePermissions(path: path, "cannot be examined: \(String(cString: strerror(errno)))")
    }
}
