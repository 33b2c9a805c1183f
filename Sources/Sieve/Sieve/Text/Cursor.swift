/// Reads bytes from the front. Nothing is read beyond the end, where `peek` is nil.
struct Cursor {
    let bytes: Bytes
    private(set) var index = 0

    init(_ bytes: Bytes) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index >= bytes.count }
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    func peek(_ ahead: Int) -> UInt8? {
        let place = index + ahead
        return place >= 0 && place < bytes.count ? bytes[place] : nil
    }

    mutating func next() -> UInt8? {
        guard let byte = peek else { return nil }
        index += 1
        return byte
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func take(while isIncluded: (UInt8) -> Bool) -> Bytes {
        let start = index
        while let byte = peek, isIncluded(byte) { index += 1 }
        return Bytes(bytes[start..<index])
    }

    mutating func skip(while isIncluded: (UInt8) -> Bool) {
        while let byte = peek, isIncluded(byte) { index += 1 }
    }

    mutating func move(to place: Int) {
        index = min(max(place, 0), bytes.count)
    }
}
