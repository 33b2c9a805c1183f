import CSQLite
import Foundation
import SQLite

enum TestFailure: DatabaseFailure, Equatable {
    case full, inUse, cancelled, closed
    case unreadable(reason: String)
    case unwritable(reason: String)
    case corrupt(reason: String)
    case invalid(reason: String)
}

typealias Database = SQLite.Database<TestFailure>

extension Database {
    static func inMemory() throws(TestFailure) -> Database {
        try Database(":memory:", flags: SQLITE_OPEN_READWRITE, patience: 0)
    }
}

/// A folder of its own, removed with it.
final class TestFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
