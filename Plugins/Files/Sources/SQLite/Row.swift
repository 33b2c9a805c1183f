import CSQLite
import FoundationEssentials

/// The row that a statement stands on. Valid until the statement is stepped again.
public struct Row {
    @usableFromInline let handle: OpaquePointer

    @inlinable init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    @inlinable public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL
    }
    @inlinable public func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }
    @inlinable public func int(_ column: Int) -> Int { Int(int64(column)) }
    @inlinable public func flag(_ column: Int) -> Bool { int64(column) != 0 }
    @inlinable public func double(_ column: Int) -> Double { sqlite3_column_double(handle, CInt(column)) }
    @inlinable public func date(_ column: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: double(column))
    }

    @inlinable public func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(handle, CInt(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, CInt(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    @inlinable public func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    @inlinable public func data(_ column: Int) -> Data {
        withBytes(column) { Data($0) }
    }

    /// The bytes where they are, without a copy.
    @inlinable public func withBytes<Answer, Failure>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        // The pointer comes first: asking for the length does not change the value then.
        let start = sqlite3_column_blob(handle, CInt(column))
        let count = Int(sqlite3_column_bytes(handle, CInt(column)))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
