import CSQLite
import FoundationEssentials
import MailKernelAPI
import StoreRules

/// What SQL cannot say and a query needs.
enum SQLFunctions {
    static func register(on handle: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        sqlite3_create_function_v2(handle, "has_header", 3, flags, nil, hasHeader, nil, nil, nil)
        sqlite3_create_function_v2(handle, "has_signs", 5, flags, nil, hasSigns, nil, nil, nil)
    }

    /// `has_header(packed header fields, name, folded value)`
    private static let hasHeader:
        @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
            context, _, arguments in
            guard let arguments else { return sqlite3_result_int(context, 0) }
            let fields = bytes(of: arguments[0])
            let (name, value) = (text(of: arguments[1]), text(of: arguments[2]))
            let found = PackedBody.headers(fields).contains { $0.matches(name: name, folded: value) }
            sqlite3_result_int(context, found ? 1 : 0)
        }

    /// `has_signs(packed email, packed header fields, packed content, signs, fields)`
    private static let hasSigns:
        @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
            context, _, arguments in
            guard let arguments else { return sqlite3_result_int(context, 0) }
            let (core, headers, content) = (
                bytes(of: arguments[0]), bytes(of: arguments[1]), bytes(of: arguments[2])
            )
            let email = core.withUnsafeBytes {
                PackedEmail.email(Id(""), in: Id(""), $0, mailboxIDs: [], keywords: [])
            }
            let body = headers.withUnsafeBytes { headers in
                content.withUnsafeBytes { PackedBody.body(headers: headers, content: $0) }
            }
            let signs = text(of: arguments[3]).split(separator: " ").map(String.init)
            let fields = text(of: arguments[4]).split(separator: " ").compactMap {
                SearchableText.Field(rawValue: String($0))
            }
            sqlite3_result_int(context, SignText.occur(signs, in: fields, of: email, body) ? 1 : 0)
        }

    private static func bytes(of value: OpaquePointer?) -> Data {
        guard let start = sqlite3_value_blob(value) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func text(of value: OpaquePointer?) -> String {
        String(decoding: bytes(of: value), as: UTF8.self)
    }
}
