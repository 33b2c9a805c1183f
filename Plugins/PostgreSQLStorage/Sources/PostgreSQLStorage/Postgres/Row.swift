import CPostgreSQL
import FoundationEssentials
import MailKernelAPI

/// One row of a result, valid as long as the closure that it is passed to runs.
///
/// A column that does not exist, is NULL or has another size reads as empty or zero: what a server sends must not end the
/// program.
struct Row {
    let result: OpaquePointer
    let number: Int32

    func isNull(_ column: Int) -> Bool {
        guard isThere(column) else { return true }
        return PQgetisnull(result, number, Int32(column)) != 0
    }

    private func isThere(_ column: Int) -> Bool {
        number >= 0 && number < PQntuples(result) && column >= 0 && column < Int(PQnfields(result))
    }

    func withBytes<Answer>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
        guard !isNull(column), let start = PQgetvalue(result, number, Int32(column)) else {
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let count = max(0, Int(PQgetlength(result, number, Int32(column))))
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func number<Number: FixedWidthInteger>(_ column: Int, as type: Number.Type) -> Number? {
        withBytes(column) { bytes in
            guard bytes.count == MemoryLayout<Number>.size else { return nil }
            return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
        }
    }

    /// Of a `bigint` or an `integer`.
    func int(_ column: Int) -> Int {
        number(column, as: Int64.self).map { Int($0) } ?? number(column, as: Int32.self).map { Int($0) } ?? 0
    }

    func real(_ column: Int) -> Double { Double(bitPattern: number(column, as: UInt64.self) ?? 0) }
    func date(_ column: Int) -> Date { Date(timeIntervalSinceReferenceDate: real(column)) }
    func flag(_ column: Int) -> Bool { withBytes(column) { $0.first == 1 } }
    func data(_ column: Int) -> Data { withBytes(column) { Data($0) } }
    func text(_ column: Int) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }
    func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func id<Of>(_ column: Int) -> Id<Of> { Id(text(column)) }

    /// The elements of a `bytea[]` as texts.
    func texts(_ column: Int) -> [String] {
        withBytes(column) { bytes in
            var reader = ArrayReader(bytes)
            return reader.texts()
        }
    }
}

/// Reads PostgreSQL's binary arrays. Past the end, it reads nothing.
private struct ArrayReader {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    private mutating func number() -> Int {
        guard rest.count >= 4 else { return -1 }
        defer { rest = rest.dropFirst(4) }
        return Int(Int32(bitPattern: rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }))
    }

    mutating func texts() -> [String] {
        guard number() == 1 else { return [] }
        rest = rest.dropFirst(8)
        let count = number()
        rest = rest.dropFirst(4)
        var texts: [String] = []
        while texts.count < count {
            let size = number()
            guard size >= 0, size <= rest.count else { break }
            texts.append(String(decoding: rest.prefix(size), as: UTF8.self))
            rest = rest.dropFirst(size)
        }
        return texts
    }
}
