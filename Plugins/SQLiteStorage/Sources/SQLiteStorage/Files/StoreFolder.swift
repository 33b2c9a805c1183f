import FoundationEssentials
import Glibc
import MailKernelAPI

/// The paths of the store's files; knows nothing of their content.
struct StoreFolder: Sendable {
    let path: String

    var database: String { path + "/mail.db" }
    var blobs: String { path + "/blobs" }
    /// Tells the next opening that damage was met with.
    var damageMark: String { path + "/damaged" }
    /// Tells the next opening that free pages may hold mail of an account that was removed.
    var removalMark: String { path + "/removing" }
    /// Holds the time at which the database was last found sound from end to end.
    var checkStamp: String { path + "/checked" }
    /// Names the folder that a damaged database was set aside in, until all that can be is saved from it.
    var recoveryMark: String { path + "/recovering" }
    /// A copy of a damaged database, while it is read.
    var salvageCopy: String { path + "/salvage.db" }
    /// Room that is kept for a full disk.
    var reserve: Reserve { Reserve(path: path + "/reserve") }
    private var lockFile: String { path + "/lock" }

    private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

    /// The files that SQLite creates for a database.
    var databaseFiles: [String] { Self.files(of: database) }
    var salvageFiles: [String] { Self.files(of: salvageCopy) }

    private static func files(of database: String) -> [String] { databaseSuffixes.map { database + $0 } }

    func blob(_ name: String) -> String { blobs + "/" + name }

    /// Creates missing folders, accessible only to the user.
    func prepare() throws(StorageError) {
        try Self.makeFolder(path)
        try Self.makeFolder(blobs)
    }

    private static func makeFolder(_ path: String) throws(StorageError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw PosixError.writing() }
        var status = stat()
        guard stat(path, &status) == 0 else { throw PosixError.writing() }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .unwritable(reason: "a file exists in place of the folder \(path)")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else { throw PosixError.writing() }
    }

    /// Keeps other processes, and other stores of this one, out for as long as the result is held.
    func lock() throws(StorageError) -> OpenFile {
        let file = try OpenFile.writing(lockFile)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .inUse : PosixError.writing()
        }
        return file
    }

    /// SQLite gives new files the mode of the database's, so that one has to be right.
    func protectDatabase() throws(StorageError) {
        _ = try OpenFile.writing(database)
        for file in databaseFiles where exists(file) && chmod(file, 0o600) != 0 { throw PosixError.writing() }
    }

    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func size(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }

    /// What a file takes of the disk: one with holes takes less than its size.
    func room(of path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            ? Int(status.st_blocks) * 512 : 0
    }

    func names(in folder: String) -> [String] {
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

    func remove(_ path: String) throws(StorageError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw PosixError.writing() }
    }

    /// Removes everything that this store created here, including databases set aside.
    func removeEverything() throws(StorageError) {
        let marks = [damageMark, removalMark, recoveryMark, checkStamp, reserve.path]
        for file in databaseFiles + salvageFiles + marks { try remove(file) }
        try removeFolder(blobs)
        for name in names(in: path) where name.hasPrefix(Self.asidePrefix) {
            try removeFolder(path + "/" + name)
        }
        try remove(lockFile)
        try OpenFile.synchronizeFolder(path)
    }

    private func removeFolder(_ folder: String) throws(StorageError) {
        for name in names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                try removeFolder(path)
            } else {
                try remove(path)
            }
        }
        guard rmdir(folder) == 0 || errno == ENOENT else { throw PosixError.writing() }
    }
}

// MARK: Setting aside

extension StoreFolder {
    private static let asidePrefix = "damaged-"

    /// Moves the database to a separate folder and returns its path. An interrupted move is continued, and
    /// the incomplete replacement is removed.
    func setDatabaseAside(_ date: String) throws(StorageError) -> String {
        let aside = path + "/" + (try placeAside(date))
        guard mkdir(aside, 0o700) == 0 || errno == EEXIST else { throw PosixError.writing() }
        if exists(aside + "/mail.db") {
            for file in databaseFiles { try remove(file) }
        }
        // The log first: a database without its log is older, a log without its database is nothing.
        for suffix in Self.databaseSuffixes.reversed() where exists(database + suffix) {
            guard rename(database + suffix, aside + "/mail.db" + suffix) == 0 else {
                throw PosixError.writing()
            }
        }
        try OpenFile.synchronizeFolder(aside)
        try OpenFile.synchronizeFolder(path)
        return aside
    }

    /// The folder of a recovery that did not come to its end.
    func unfinishedRecovery() throws(StorageError) -> String? {
        let note = try OpenFile.reading(recoveryMark)?.read(at: 0, count: 255) ?? Data()
        let name = String(decoding: note, as: UTF8.self)
        return name.hasPrefix(Self.asidePrefix) && !name.contains("/") ? name : nil
    }

    /// A name that is free, noted before anything is moved, or the one that was noted before.
    private func placeAside(_ date: String) throws(StorageError) -> String {
        if let name = try unfinishedRecovery() { return name }
        var name = Self.asidePrefix + date
        var number = 1
        while exists(path + "/" + name) {
            number += 1
            name = Self.asidePrefix + date + "-\(number)"
        }
        let mark = try OpenFile.writing(recoveryMark)
        try mark.replace(name)
        try mark.synchronize()
        try OpenFile.synchronizeFolder(path)
        return name
    }

    /// Moves blobs into a folder that is made for them.
    func move(_ blobs: [String], to target: String) throws(StorageError) {
        guard mkdir(target, 0o700) == 0 || errno == EEXIST else { throw PosixError.writing() }
        for name in blobs where rename(blob(name), target + "/" + name) != 0 { throw PosixError.writing() }
        try OpenFile.synchronizeFolder(target)
    }
}
