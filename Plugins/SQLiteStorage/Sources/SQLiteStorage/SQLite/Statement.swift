import CSQLite
import FoundationEssentials
import MailKernelAPI

/// A prepared statement. Like its connection, used by one thread at a time.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private(set) var isInUse = false

    init(_ connection: OpaquePointer, _ sql: String) throws(StorageError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw Database.error(code, connection) }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement; `body` is shown each row and says whether it wants to see the next.
    func run(
        _ values: [SQLValue], _ body: (Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        isInUse = true
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            isInUse = false
        }
        for (index, value) in values.enumerated() { try bind(value, at: CInt(index + 1)) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: guard try body(Row(handle)) else { return }
            case SQLITE_DONE: return
            case let code: throw Database.error(code, connection)
            }
        }
    }

    private func bind(_ value: SQLValue, at index: CInt) throws(StorageError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let value): sqlite3_bind_int64(handle, index, value)
            case .real(let value): sqlite3_bind_double(handle, index, value)
            case .text(let value): bind(value, at: index)
            case .blob(let value): bind(value, at: index)
            }
        guard code == SQLITE_OK else { throw Database.error(code, connection) }
    }

    /// With its length, so that NUL characters are characters like any other.
    private func bind(_ text: String, at index: CInt) -> CInt {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else {
                return sqlite3_bind_text64(handle, index, "", 0, csqlite_transient(), UInt8(SQLITE_UTF8))
            }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
                sqlite3_bind_text64(
                    handle, index, characters, UInt64(bytes.count), csqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    }

    private func bind(_ data: Data, at index: CInt) -> CInt {
        // A null pointer would be bound as NULL; an empty blob is something else.
        guard !data.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return data.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), csqlite_transient())
        }
    }
}
