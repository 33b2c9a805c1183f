import CSQLite
import Files
import Glibc

/// An error that a plugin throws when a database cannot be used, in the words of that plugin.
public protocol DatabaseFailure: FileFailure {
    static var inUse: Self { get }
    static var cancelled: Self { get }
    /// Thrown by a `Lane` that is closed.
    static var closed: Self { get }
    static func corrupt(reason: String) -> Self
    static func invalid(reason: String) -> Self
}

extension DatabaseFailure {
    /// The error of the last call on a connection, which returned this code.
    static func from(_ code: CInt, _ handle: OpaquePointer?) -> Self {
        let reason = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "error \(code)"
        switch code & 0xff {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return .unwritable(reason: reason)
        case SQLITE_CANTOPEN:
            // The file that cannot be opened may be one that there is no room for.
            let hasNoRoom = path(of: handle).map { isFull(DiskProbe.error(beside: $0)) } ?? false
            return hasNoRoom ? .full : .unwritable(reason: reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(reason: reason)
        case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
        case SQLITE_INTERRUPT: return .cancelled
        case SQLITE_IOERR:
            // The disk can be full in ways that SQLite only calls an error of output.
            guard isWriting(code) else { return .unreadable(reason: reason) }
            // The number that the system gave is lost by now, so it is asked again.
            return .writing(path(of: handle).map(DiskProbe.error) ?? EIO)
        default: return .invalid(reason: reason)
        }
    }

    /// The extended codes of `SQLITE_IOERR` that are about writing, synchronizing, cutting, and the
    /// memory that is shared with readers.
    private static func isWriting(_ code: CInt) -> Bool {
        [3, 4, 6, 19].contains(code >> 8)
    }

    private static func path(of handle: OpaquePointer?) -> String? {
        handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
    }
}
