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
package func unescaped(
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
