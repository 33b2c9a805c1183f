import CSQLite
import FoundationEssentials

/// What SQLite returns when it cannot do something.
@usableFromInline struct ResultCode: Error {
    @usableFromInline let code: CInt
}

/// A prepared statement. Like its connection, used by one thread at a time. It knows nothing of the errors of
/// plugins, so that it is compiled once for all of them.
@usableFromInline final class Statement {
    private let handle: OpaquePointer
    private(set) var isInUse = false

    init(_ connection: OpaquePointer, _ sql: String) throws(ResultCode) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw ResultCode(code: code) }
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement with these values. Call `end` also when this throws.
    @usableFromInline func begin(_ values: [SQLValue]) throws(ResultCode) {
        isInUse = true
        for (index, value) in values.enumerated() {
            let code = bind(value, at: CInt(index + 1))
            guard code == SQLITE_OK else { throw ResultCode(code: code) }
        }
    }

    @usableFromInline func end() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }

    /// The next row; nil if there is none.
    @usableFromInline func next() throws(ResultCode) -> Row? {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return Row(handle)
        case SQLITE_DONE: return nil
        case let code: throw ResultCode(code: code)
        }
    }

    private func bind(_ value: SQLValue, at index: CInt) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .real(let value): sqlite3_bind_double(handle, index, value)
        case .text(let value): bind(value, at: index)
        case .blob(let value): bind(value, at: index)
        }
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
