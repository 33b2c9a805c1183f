import CSQLite
import FoundationEssentials
import MailKernelAPI

/// The row that a statement stands on. Valid until the statement is stepped again.
struct Row {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL }
    func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, CInt(column)) }
    func int(_ column: Int) -> Int { Int(int64(column)) }
    func flag(_ column: Int) -> Bool { int64(column) != 0 }
    func double(_ column: Int) -> Double { sqlite3_column_double(handle, CInt(column)) }
    func date(_ column: Int) -> Date { Date(timeIntervalSinceReferenceDate: double(column)) }

    func text(_ column: Int) -> String {
        guard let start = sqlite3_column_text(handle, CInt(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, CInt(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func id<Of>(_ column: Int) -> Id<Of> { Id(text(column)) }

    func data(_ column: Int) -> Data {
        withBytes(column) { Data($0) }
    }

    /// The bytes where they are, without a copy.
    func withBytes<Answer, Failure>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        // The pointer comes first: asking for the length does not change the value then.
        let start = sqlite3_column_blob(handle, CInt(column))
        let count = Int(sqlite3_column_bytes(handle, CInt(column)))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
