import Glibc

/// All files below a folder, links to files included and links to folders not.
///
/// It reads the folders itself: a name that is no UTF-8 cannot be opened, and must be told of all the same.
struct ImportFolder {
    /// From the folder on.
    private(set) var paths: [String] = []
    private(set) var failures: [ImportFailure] = []

    init(_ root: String) throws {
        guard Self.isReadable(root) else { throw ImportProblem.unreadable(root) }
        var waiting = [""]
        while let folder = waiting.popLast() {
            guard let stream = opendir(root + "/" + folder) else {
                failures.append(ImportFailure(place: folder, reason: "the folder cannot be read"))
                continue
            }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { bytes in
                        (String(validatingCString: bytes), String(cString: bytes))
                    }
                }
                if name.1 == "." || name.1 == ".." { continue }
                let path = folder.isEmpty ? name.1 : folder + "/" + name.1
                guard name.0 != nil else {
                    // Of what kind it is nobody can tell either, but by its name.
                    let reason = "the name is not in UTF-8; rename it, and import again"
                    if entry.pointee.d_type == UInt8(DT_DIR) || Self.isMail(path) {
                        failures.append(ImportFailure(place: path, reason: reason))
                    }
                    continue
                }
                if Self.isFolder(root + "/" + path) { waiting.append(path) } else { paths.append(path) }
            }
        }
    }

    /// Whether a file at this path should be a message.
    static func isMail(_ path: String) -> Bool {
        let folder = path.split(separator: "/").dropLast().last
        return folder == "cur" || folder == "new" || path.lowercased().hasSuffix(".eml")
    }

    private static func isReadable(_ path: String) -> Bool {
        guard let stream = opendir(path) else { return false }
        closedir(stream)
        return true
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
