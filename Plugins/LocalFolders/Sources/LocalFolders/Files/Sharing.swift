import CLocalFolders
import CSQLite
import Files
import FoundationEssentials
import Glibc
import SQLite

typealias OpenFile = Files.OpenFile<FolderError>
typealias Folders = Files.Folders<FolderError>
typealias Reserve = Files.Reserve<FolderError>
typealias Database = SQLite.Database<FolderError>
typealias Lane = SQLite.Lane<FolderError>
typealias Row = SQLite.Row
typealias SQLValue = SQLite.SQLValue

extension FolderError: DatabaseFailure {
    static var inUse: FolderError { .unusable("another program uses the index") }
    static func corrupt(reason: String) -> FolderError { .damaged(reason) }
    static func invalid(reason: String) -> FolderError { .unusable(reason) }
    static func unreadable(reason: String) -> FolderError { .unusable(reason) }
    static func unwritable(reason: String) -> FolderError { .unusable(reason) }
}

extension Database {
    convenience init(_ path: String, isReadOnly: Bool = false) throws(FolderError) {
        // Another session of the same account may be in the middle of a batch.
        try self.init(
            path, flags: isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
            patience: 20_000)
    }
}

extension Reserve {
    /// Runs what takes little room or makes some, on a full disk with the room that is held for it.
    func makeRoom<Answer>(_ body: () throws(FolderError) -> Answer) throws(FolderError) -> Answer {
        do throws(FolderError) {
            return try body()
        } catch {
            guard case .full = error, lend() else { throw error }
            return try body()
        }
    }
}

extension OpenFile {
    /// As `synchronize`, for all that was written to this file system: cheaper than many files one by one.
    func synchronizeFileSystem() throws(FolderError) {
        guard syncfs(descriptor) == 0 else { throw .writing() }
    }

    /// Starts writing to the disk without waiting for it.
    func beginWriting() {
        _ = sync_file_range(descriptor, 0, 0, 2)  // SYNC_FILE_RANGE_WRITE
    }

    /// A file's date is when its message came, so that a folder of them means something by itself.
    func setDate(_ date: Date) {
        let seconds = max(0, date.timeIntervalSince1970.rounded(.down))
        let time = timespec(tv_sec: time_t(min(seconds, 1e11)), tv_nsec: 0)
        // Only for people who look into the folder: nothing depends on it.
        _ = withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times[0] = time
            times[1] = time
            return futimens(descriptor, times.baseAddress)
        }
    }
}
