import FoundationEssentials

/// Reads what a `Packer` wrote. Past the end, or on bytes that it never wrote, the answers are empty:
/// damage is found by SQLite and must not end the program here.
struct Unpacker {
    /// Valid as long as the row that it comes from; an unpacker never outlives that.
    private let bytes: UnsafeRawBufferPointer
    private var next = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private mutating func byte() -> UInt8 {
        guard next < bytes.count else { return 0 }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func number() -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = byte()
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { break }
        }
        return number
    }

    mutating func int() -> Int {
        let number = number()
        return Int(truncatingIfNeeded: number >> 1) ^ -Int(truncatingIfNeeded: number & 1)
    }

    mutating func flag() -> Bool { byte() != 0 }

    mutating func date() -> Date {
        var pattern: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { pattern |= UInt64(byte()) << shift }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: pattern))
    }

    mutating func text() -> String {
        let count = Int(clamping: min(number(), UInt64(bytes.count - next)))
        defer { next += count }
        return String(decoding: bytes[next..<(next + count)], as: UTF8.self)
    }

    mutating func optional<Value>(_ read: (inout Unpacker) -> Value) -> Value? {
        flag() ? read(&self) : nil
    }

    mutating func textOrNil() -> String? { optional { $0.text() } }

    mutating func all<Value>(_ read: (inout Unpacker) -> Value) -> [Value] {
        // Each takes a byte at least, so a damaged count cannot ask for more than there is.
        let count = Int(clamping: min(number(), UInt64(bytes.count - next)))
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count where next < bytes.count { values.append(read(&self)) }
        return values
    }

    mutating func texts() -> [String] { all { $0.text() } }
}
