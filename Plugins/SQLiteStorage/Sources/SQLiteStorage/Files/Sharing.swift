import CSQLite
import Files
import FoundationEssentials
import Glibc
import MailKernelAPI
import SQLite

typealias OpenFile = Files.OpenFile<StorageError>
typealias Folders = Files.Folders<StorageError>
typealias Reserve = Files.Reserve<StorageError>
typealias Database = SQLite.Database<StorageError>
typealias Lane = SQLite.Lane<StorageError>
typealias Row = SQLite.Row
typealias SQLValue = SQLite.SQLValue

// Both are this project's, so no other code declares it.
// swift-format-ignore: AvoidRetroactiveConformances
extension StorageError: @retroactive DatabaseFailure {}

extension OpenFile {
    /// Makes a short text all that is in the file.
    func replace(_ text: String) throws(StorageError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw .writing() }
        try append(Data(text.utf8))
    }
}

enum DatabaseMode {
    case readOnly, readWrite
}

extension Database {
    convenience init(_ path: String, _ mode: DatabaseMode) throws(StorageError) {
        // Only the writer keeps the shared memory off the disk, which may be full.
        let flags = SQLITE_OPEN_READWRITE | (mode == .readWrite ? SQLITE_OPEN_CREATE : 0)
        try self.init(path, flags: flags, files: "unix-excl", patience: 5_000)
        SQLFunctions.register(on: handle)
        guard mode == .readOnly else { return }
        // The log of a database that is only looked at stays as it is.
        csqlite_keep_log(handle)
        try execute("PRAGMA query_only = ON")
    }
}

extension Row {
    func id<Of>(_ column: Int) -> Id<Of> { Id(text(column)) }
}

extension SQLValue {
    static func id<Of>(_ id: Id<Of>) -> SQLValue { .text(id.rawValue) }
}
