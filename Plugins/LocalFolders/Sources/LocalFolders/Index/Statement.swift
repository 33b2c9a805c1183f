import CLocalFolders
import FoundationEssentials

/// A prepared statement. Like its connection, used by one thread at a time.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private(set) var isInUse = false

    init(_ connection: OpaquePointer, _ sql: String) throws(FolderError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw Database.error(code, connection) }
        handle = prepared
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement; `body` is shown each row and says whether it wants to see the next.
    func run(
        _ values: [SQLValue], _ body: (Row) throws(FolderError) -> Bool
    ) throws(FolderError) {
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

    private func bind(_ value: SQLValue, at index: CInt) throws(FolderError) {
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
                return sqlite3_bind_text64(
                    handle, index, "", 0, clocalfolders_transient(), UInt8(SQLITE_UTF8))
            }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
                sqlite3_bind_text64(
                    handle, index, characters, UInt64(bytes.count), clocalfolders_transient(),
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    private func bind(_ data: Data, at index: CInt) -> CInt {
        // A null pointer would be bound as NULL; an empty blob is something else.
        guard !data.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return data.withUnsafeBytes { bytes in
            sqlite3_bind_blob64(
                handle, index, bytes.baseAddress, UInt64(bytes.count), clocalfolders_transient())
        }
    }
}

/// The row that a statement stands on. Valid until the statement is stepped again.
struct Row {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL }
    func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }
    func int(_ column: Int) -> Int { Int(int64(column)) }
    func date(_ column: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: sqlite3_column_double(handle, CInt(column)))
    }

    func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(handle, CInt(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, CInt(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
}
