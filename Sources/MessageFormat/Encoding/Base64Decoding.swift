/// Decodes Base64 as it occurs in mail: skips line ends and stray bytes, allows missing padding, several padded
/// pieces and the digits of URLs, and drops text that a mailing list appended.
struct Base64Decoding: DecodingState {
    private var bits: UInt32 = 0
    private var count = 0
    private var isAfterPadding = false
    private var isOver = false
    /// Whether a line with digits came before: text in front of them is not what a list appended.
    private var hasDigits = false
    /// Mailing lists draw rules with `-` and `_`: they are digits only where the alphabet for URLs is in use.
    private var hasURLDigits = false
    /// The beginning of a line whose end has not come yet.
    private var held: [UInt8] = []
    /// The bytes of the current line. The output is generic: calling it for each byte would take most of the time.
    private var decoded: [UInt8] = []

    /// A line is judged whole, or in pieces of this length.
    private static let longestLine = 1000

    mutating func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput) {
        var start = 0
        while start < encoded.count, !isOver, !output.isFull {
            let most = min(encoded.count, start + Self.longestLine - held.count)
            var end = start
            while end < most, encoded[end] != UInt8(ascii: "\n") { end += 1 }
            let isWhole = end < most || end - start + held.count == Self.longestLine
            if end < most { end += 1 }
            let piece = encoded.extracting(start..<end)
            start = end
            if held.isEmpty, isWhole {
                decodeLine(piece)
            } else {
                for index in piece.indices { held.append(piece[index]) }
                if isWhole { decodeHeld() }
            }
            write(to: &output)
        }
    }

    mutating func finish(into output: inout some DecodedOutput) {
        if !isOver { decodeHeld() }
        endPiece()
        write(to: &output)
    }

    private mutating func write(to output: inout some DecodedOutput) {
        output.append(contentsOf: decoded)
        decoded.removeAll(keepingCapacity: true)
    }

    private mutating func decodeHeld() {
        let line = held
        held.removeAll(keepingCapacity: true)
        decodeLine(line.span)
    }

    private mutating func decodeLine(_ line: Span<UInt8>) {
        if decodeDigits(line) { return }
        if isText(line) {
            isOver = true
            return
        }
        for index in line.indices {
            if isOver { return }
            let byte = line[index]
            guard let value = Self.value(of: byte) else {
                if byte == UInt8(ascii: "=") {
                    endPiece()
                } else if isAfterPadding, byte > 0x20 {
                    isOver = true
                }
                continue
            }
            isAfterPadding = false
            hasDigits = true
            bits = bits << 6 | value
            count += 1
            if count == 4 {
                writeGroup(bits)
                (bits, count) = (0, 0)
            }
        }
    }

    /// Decodes a line of whole groups of digits, as most lines are; false, and nothing done, for any other.
    private mutating func decodeDigits(_ line: Span<UInt8>) -> Bool {
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        guard count == 0, end > 0, end % 4 == 0 else { return false }
        let before = decoded.count
        var all: UInt32 = 0
        Self.values.withUnsafeBufferPointer { values in
            for index in stride(from: 0, to: end, by: 4) {
                let first = values[Int(line[index])]
                let second = values[Int(line[index + 1])]
                let third = values[Int(line[index + 2])]
                let fourth = values[Int(line[index + 3])]
                all |= first | second | third | fourth
                writeGroup(first << 18 | second << 12 | third << 6 | fourth)
            }
        }
        guard all < Self.noDigit else {
            decoded.removeLast(decoded.count - before)
            return false
        }
        (hasDigits, isAfterPadding) = (true, false)
        return true
    }

    @inline(__always) private mutating func writeGroup(_ bits: UInt32) {
        decoded.append(UInt8(truncatingIfNeeded: bits >> 16))
        decoded.append(UInt8(truncatingIfNeeded: bits >> 8))
        decoded.append(UInt8(truncatingIfNeeded: bits))
    }

    private static let noDigit: UInt32 = 64
    /// The value of each digit. Those for URLs are missing: whether they are digits depends on their line.
    private static let values: [UInt32] = (0...UInt8.max).map { byte in
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") ? noDigit : value(of: byte) ?? noDigit
    }

    /// Whether a line that follows Base64 is text: a rule, or a line with many bytes that are not digits. A single
    /// such byte in a long line is damage.
    private mutating func isText(_ line: Span<UInt8>) -> Bool {
        var (digits, urlDigits, strays, blanks) = (0, 0, 0, 0)
        for index in line.indices {
            switch line[index] {
            case ...0x20:
                if digits + urlDigits + strays > 0 { blanks += 1 }
                continue
            case UInt8(ascii: "-"), UInt8(ascii: "_"): urlDigits += 1
            case let byte where byte == UInt8(ascii: "=") || Self.value(of: byte) != nil: digits += 1
            default: strays += 1
            }
            strays += blanks
            blanks = 0
        }
        guard hasDigits else {
            hasURLDigits = hasURLDigits || digits > 0 && urlDigits > 0
            return false
        }
        if digits == 0, urlDigits > 1, !hasURLDigits { return true }
        if strays * 20 > digits + urlDigits + strays { return true }
        hasURLDigits = hasURLDigits || urlDigits > 0
        return false
    }

    /// How many bytes are encoded. Most of a large mailbox is files in base64, and all that is asked of them
    /// when they come in is this: lines of digits alone are only counted.
    static func count(_ encoded: Span<UInt8>) -> Int {
        var digits = 0
        var index = 0
        encoded.withUnsafeBufferPointer { bytes in
            weights.withUnsafeBufferPointer { weights in
                while index + block <= bytes.count {
                    var sum: UInt32 = 0
                    for byte in bytes[index..<(index + block)] { sum &+= weights[Int(byte)] }
                    guard sum < special else { break }
                    digits += Int(sum)
                    index += block
                }
                // What is special is judged by its line.
                while index > 0, bytes[index - 1] != UInt8(ascii: "\n") {
                    index -= 1
                    digits -= Int(weights[Int(bytes[index])])
                }
            }
        }
        var counter = ByteCounter(count: digits / 4 * 3)
        var rest = Base64Decoding()
        rest.count = digits % 4
        rest.hasDigits = digits > 0
        rest.decode(encoded.extracting(index...), into: &counter)
        rest.finish(into: &counter)
        return counter.count
    }

    private static let block = 64
    private static let special: UInt32 = 1 << 16
    /// 1 for a digit, 0 for a line end, and much more for others than all digits of a block come to.
    private static let weights: [UInt32] = (0...UInt8.max).map { byte in
        if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") { return 0 }
        return values[Int(byte)] == noDigit ? special : 1
    }

    private mutating func endPiece() {
        if count == 2 {
            decoded.append(UInt8(truncatingIfNeeded: bits >> 4))
        } else if count == 3 {
            decoded.append(UInt8(truncatingIfNeeded: bits >> 10))
            decoded.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
        (bits, count) = (0, 0)
        isAfterPadding = true
    }

    @inline(__always) private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) &- 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) &- 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) &+ 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
