import Glibc

/// Operations on folders and their entries.
public enum Folders<Failure: FileFailure> {
    /// Makes a folder for the user alone, or takes the one that is there.
    public static func make(_ path: String) throws(Failure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .writing() }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .writing() }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .unwritable(reason: "a file exists in place of the folder \(path)")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else { throw .writing() }
    }

    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    public static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file. That it is not there is as good.
    public static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .writing() }
    }

    /// Removes a folder and all that is in it, without following links.
    public static func removeAll(_ path: String) throws(Failure) {
        for name in names(in: path) {
            let inside = path + "/" + name
            var status = stat()
            if lstat(inside, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                try removeAll(inside)
            } else {
                try remove(inside)
            }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .writing() }
    }

    public static func move(_ path: String, to target: String) throws(Failure) {
        guard rename(path, target) == 0 else { throw .writing() }
    }
}
