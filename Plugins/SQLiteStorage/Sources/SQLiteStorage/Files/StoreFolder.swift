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
    /// Room that is kept for a full disk: what deleting a few hundred emails writes before anything becomes free.
    var reserve: Reserve { Reserve(path: path + "/reserve", size: 4 << 20) }
    private var lockFile: String { path + "/lock" }

    private static let databaseSuffixes = ["", "-wal", "-shm", "-journal"]

    /// The files that SQLite creates for a database.
    var databaseFiles: [String] { Self.files(of: database) }
    var salvageFiles: [String] { Self.files(of: salvageCopy) }

    private static func files(of database: String) -> [String] { databaseSuffixes.map { database + $0 } }

    func blob(_ name: String) -> String { blobs + "/" + name }

    /// Creates missing folders, accessible only to the user.
    func prepare() throws(StorageError) {
        try Folders.make(path)
        try Folders.make(blobs)
    }

    /// Keeps other processes, and other stores of this one, out for as long as the result is held.
    func lock() throws(StorageError) -> OpenFile {
        let file = try OpenFile.writing(lockFile)
        guard file.lock() else {
            throw errno == EWOULDBLOCK ? .inUse : .writing()
        }
        return file
    }

    /// SQLite gives new files the mode of the database's, so that one has to be right.
    func protectDatabase() throws(StorageError) {
        _ = try OpenFile.writing(database)
        for file in databaseFiles where Folders.exists(file) && chmod(file, 0o600) != 0 { throw .writing() }
    }

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

    /// Removes everything that this store created here, including databases set aside.
    func removeEverything() throws(StorageError) {
        let marks = [damageMark, removalMark, recoveryMark, checkStamp, reserve.path]
        for file in databaseFiles + salvageFiles + marks { try Folders.remove(file) }
        try Folders.removeAll(blobs)
        for name in Folders.names(in: path) where name.hasPrefix(Self.asidePrefix) {
            try Folders.removeAll(path + "/" + name)
        }
        try Folders.remove(lockFile)
        try OpenFile.synchronizeFolder(path)
    }
}

// MARK: Setting aside

extension StoreFolder {
    private static let asidePrefix = "damaged-"

    /// Moves the database to a separate folder and returns its path. An interrupted move is continued, and
    /// the incomplete replacement is removed.
    func setDatabaseAside(_ date: String) throws(StorageError) -> String {
        let aside = path + "/" + (try placeAside(date))
        try Folders.make(aside)
        if Folders.exists(aside + "/mail.db") {
            for file in databaseFiles { try Folders.remove(file) }
        }
        // The log first: a database without its log is older, a log without its database is nothing.
        for suffix in Self.databaseSuffixes.reversed() where Folders.exists(database + suffix) {
            try Folders.move(database + suffix, to: aside + "/mail.db" + suffix)
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
        while Folders.exists(path + "/" + name) {
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
        try Folders.make(target)
        for name in blobs { try Folders.move(blob(name), to: target + "/" + name) }
        try OpenFile.synchronizeFolder(target)
    }
}
