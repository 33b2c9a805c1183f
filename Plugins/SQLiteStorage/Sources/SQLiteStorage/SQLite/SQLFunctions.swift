import CSQLite
import FoundationEssentials

/// What SQL cannot say and a query needs.
enum SQLFunctions {
    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        sqlite3_create_function_v2(handle, "has_header", 3, flags, nil, hasHeader, nil, nil, nil)
    }

    /// `has_header(packed header fields, folded name, folded value)`
    private static let hasHeader:
        @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
            context, _, arguments in
            guard let arguments else { return sqlite3_result_int(context, 0) }
            let fields = bytes(of: arguments[0])
            let (name, value) = (text(of: arguments[1]), text(of: arguments[2]))
            let found = PackedBody.headers(fields).contains { field in
                field.name.lowercased() == name
                    && (value.isEmpty || TextFolding.fold(field.value).contains(value))
            }
            sqlite3_result_int(context, found ? 1 : 0)
        }

    private static func bytes(of value: OpaquePointer?) -> Data {
        guard let start = sqlite3_value_blob(value) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func text(of value: OpaquePointer?) -> String {
        String(decoding: bytes(of: value), as: UTF8.self)
    }
}
