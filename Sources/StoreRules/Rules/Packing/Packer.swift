import FoundationEssentials

/// Writes values one after the other in a compact form. Equal values have equal bytes, so records can be
/// compared by their bytes.
struct Packer {
    private(set) var bytes: [UInt8] = []

    var data: Data { Data(bytes) }

    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign stay small.
    mutating func put(_ number: Int) {
        put(UInt64(bitPattern: Int64((number << 1) ^ (number >> 63))))
    }

    mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func put(_ date: Date) {
        withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) {
            bytes.append(contentsOf: $0)
        }
    }

    mutating func put(_ text: String) {
        put(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put<Value>(_ value: Value?, _ body: (inout Packer, Value) -> Void) {
        put(value != nil)
        if let value { body(&self, value) }
    }

    mutating func put(_ text: String?) { put(text) { $0.put($1) } }

    mutating func put<Values: Collection>(
        all values: Values, _ body: (inout Packer, Values.Element) -> Void
    ) {
        put(UInt64(values.count))
        for value in values { body(&self, value) }
    }

    mutating func put(all texts: [String]) { put(all: texts) { $0.put($1) } }
}
