/// Decodes Base64 as it occurs in mail: skips line ends and stray bytes, allows missing padding and several padded
/// pieces, and drops text that a mailing list appended after the padding.
struct Base64Decoding: DecodingState {
    private var bits: UInt32 = 0
    private var count = 0
    private var isAfterPadding = false
    private var isOver = false

    mutating func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput) {
        for index in encoded.indices {
            if isOver || output.isFull { return }
            let byte = encoded[index]
            guard let value = Self.value(of: byte) else {
                if byte == UInt8(ascii: "=") {
                    endPiece(into: &output)
                } else if isAfterPadding, byte > 0x20 {
                    isOver = true
                }
                continue
            }
            isAfterPadding = false
            bits = bits << 6 | value
            count += 1
            if count == 4 {
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (0, 0)
            }
        }
    }

    mutating func finish(into output: inout some DecodedOutput) {
        endPiece(into: &output)
    }

    /// How many bytes are encoded. Most of a large mailbox is files in base64, and all that is asked of them
    /// when they come in is this: blocks without padding are only counted.
    static func count(_ encoded: Span<UInt8>) -> Int {
        var digits = 0
        var index = 0
        encoded.withUnsafeBufferPointer { bytes in
            weights.withUnsafeBufferPointer { weights in
                while index + block <= bytes.count {
                    var sum: UInt32 = 0
                    for byte in bytes[index..<(index + block)] { sum &+= weights[Int(byte)] }
                    guard sum < padding else { break }
                    digits += Int(sum)
                    index += block
                }
            }
        }
        var counter = ByteCounter(count: digits / 4 * 3)
        var rest = Base64Decoding()
        rest.count = digits % 4
        rest.decode(encoded.extracting(index...), into: &counter)
        rest.finish(into: &counter)
        return counter.count
    }

    private static let block = 64
    private static let padding: UInt32 = 1 << 16
    /// 1 for a digit, and much more for the sign of padding than all digits of a block come to.
    private static let weights: [UInt32] = (0...UInt8.max).map { byte in
        byte == UInt8(ascii: "=") ? padding : value(of: byte) == nil ? 0 : 1
    }

    private mutating func endPiece(into output: inout some DecodedOutput) {
        if count == 2 {
            output.append(UInt8(truncatingIfNeeded: bits >> 4))
        } else if count == 3 {
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
        (bits, count) = (0, 0)
        isAfterPadding = true
    }

    @inline(__always) private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) &- 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) &- 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) &+ 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Quoted-printable. An equals sign that starts no valid code is taken literally.
struct QuotedPrintableDecoding: DecodingState {
    /// An equals sign and the following bytes, until their meaning is clear.
    private var held: [UInt8] = []

    mutating func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput) {
        for index in encoded.indices {
            if output.isFull { return }
            let byte = encoded[index]
            if held.isEmpty, byte != UInt8(ascii: "=") {
                output.append(byte)
            } else {
                take(byte, into: &output)
            }
        }
    }

    mutating func finish(into output: inout some DecodedOutput) {
        // A lone equals sign at the very end is a soft line break whose line end is missing.
        if held.count > 1 { release(into: &output) }
        held = []
    }

    private mutating func take(_ byte: UInt8, into output: inout some DecodedOutput) {
        guard let first = held.dropFirst().first else {
            held.append(byte)
            if held.count == 2, byte == UInt8(ascii: "\n") { forget() }
            if held.count == 2, !Self.canFollow(byte) { giveUp(on: byte, into: &output) }
            return
        }
        if let high = hexValue(first) {
            if let low = hexValue(byte) {
                output.append(high << 4 | low)
                forget()
            } else {
                held.append(byte)
                giveUp(on: byte, into: &output)
            }
        } else if byte == UInt8(ascii: "\n") {
            forget()
        } else if Self.isBlank(byte), held.count < 80 {
            held.append(byte)
        } else {
            held.append(byte)
            giveUp(on: byte, into: &output)
        }
    }

    /// The held bytes are not a code: they are text, but the last one may start a code.
    private mutating func giveUp(on byte: UInt8, into output: inout some DecodedOutput) {
        let restarts = byte == UInt8(ascii: "=")
        if restarts { held.removeLast() }
        release(into: &output)
        held = restarts ? [byte] : []
    }

    /// With the room that it had: pages have thousands of codes.
    private mutating func forget() { held.removeAll(keepingCapacity: true) }

    private func release(into output: inout some DecodedOutput) {
        for byte in held { output.append(byte) }
    }

    private static func canFollow(_ byte: UInt8) -> Bool { hexValue(byte) != nil || isBlank(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
}

func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
    default: nil
    }
}

/// What `escape` and two hexadecimal digits stand for, put in their place; other bytes as `plain` says.
func unescaped(
    _ value: ArraySlice<UInt8>, escape: UInt8, plain: (UInt8) -> UInt8 = { $0 }
) -> [UInt8] {
    var output: [UInt8] = []
    var rest = value
    while let byte = rest.popFirst() {
        if byte == escape, rest.count >= 2, let high = hexValue(rest[rest.startIndex]),
            let low = hexValue(rest[rest.startIndex + 1])
        {
            output.append(high << 4 | low)
            rest = rest.dropFirst(2)
        } else {
            output.append(plain(byte))
        }
    }
    return output
}

/// Uuencode: lines whose first character says how many bytes they hold, between `begin` and `end`.
struct UUDecoding: DecodingState {
    private var line: [UInt8] = []
    private var hasBegun = false
    private var isOver = false

    mutating func decode(_ encoded: Span<UInt8>, into output: inout some DecodedOutput) {
        for index in encoded.indices {
            if isOver || output.isFull { return }
            let byte = encoded[index]
            if byte == UInt8(ascii: "\n") {
                endLine(into: &output)
            } else if byte != UInt8(ascii: "\r"), line.count < 1000 {
                line.append(byte)
            }
        }
    }

    mutating func finish(into output: inout some DecodedOutput) {
        if !isOver { endLine(into: &output) }
    }

    private mutating func endLine(into output: inout some DecodedOutput) {
        defer { line.removeAll(keepingCapacity: true) }
        if !hasBegun {
            hasBegun = line.starts(with: Array("begin ".utf8))
            return
        }
        if line == Array("end".utf8) {
            isOver = true
            return
        }
        guard let first = line.first else { return }
        var left = Int((first &- 32) & 63)
        var start = 1
        while left > 0, start < line.count {
            let group = (0..<4).map { start + $0 < line.count ? UInt32((line[start + $0] &- 32) & 63) : 0 }
            let bits = group[0] << 18 | group[1] << 12 | group[2] << 6 | group[3]
            for shift in [16, 8, 0].prefix(left) { output.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            left -= 3
            start += 4
        }
    }
}
