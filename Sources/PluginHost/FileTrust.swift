import FoundationEssentials
import Glibc

/// Says whether somebody else could put their code in place of a plugin's.
enum FileTrust {
    /// Looks at the file that the path really leads to, and at every folder above it: who can rename a
    /// folder can put another in its place.
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
        // In a folder such as /tmp nobody can rename what is not theirs.
        let isSticky = isAncestor && status.st_mode & S_ISVTX != 0
        guard isSticky || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw .unsafePermissions(path: path, "can be changed by other users")
        }
    }

    private static func cannotBeExamined(_ path: String) -> Refusal {
        .unsafePermissions(path: path, "cannot be examined: \(String(cString: strerror(errno)))")
    }
}
