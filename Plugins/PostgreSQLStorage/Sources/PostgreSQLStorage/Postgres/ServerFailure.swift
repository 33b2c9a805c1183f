import CPostgreSQL
import MailKernelAPI

/// What the server said about a statement that failed.
struct ServerFailure {
    /// The five characters of the SQL standard; empty if the server said nothing.
    let state: String
    let message: String

    /// `PG_DIAG_SQLSTATE` and the like are macros of characters, which Swift does not import.
    init(_ result: OpaquePointer) {
        state = Self.field("C", of: result)
        message = Self.field("M", of: result)
    }

    private static func field(_ name: Character, of result: OpaquePointer) -> String {
        let code = Int32(name.asciiValue ?? 0)
        return PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
    }

    /// Whether the same transaction can succeed if it is run again.
    var isTemporary: Bool { state == "40001" || state == "40P01" }

    var error: StorageError {
        switch state.prefix(2) {
        case "": .unreachable(reason: "the server closed the connection")
        case "08", "57": .unreachable(reason: message)
        case "28", "3D": .unreachable(reason: "the server refused the sign-in: \(message)")
        case "25": .unwritable(reason: "the server is read-only: \(message)")
        case "40", "55": .unreachable(reason: "other changes are in the way: \(message)")
        case "42":
            state == "42501" ? .unwritable(reason: message) : .unreadable(reason: "\(state): \(message)")
        case "53": state == "53100" ? .full : .unreachable(reason: message)
        case "54": .invalid(reason: message)
        case "XX": .corrupt(reason: message)
        default: .unreadable(reason: "\(state): \(message)")
        }
    }
}
