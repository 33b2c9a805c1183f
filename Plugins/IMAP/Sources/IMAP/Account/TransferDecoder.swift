import FoundationEssentials

/// Decodes a Content-Transfer-Encoding in pieces. Invalid input is skipped or kept: half a picture is better
/// than none.
struct TransferDecoder {
    private enum Kind { case identity, base64, quotedPrintable }

    private let kind: Kind
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var isEnded = false
    /// Bytes of quoted-printable that mean nothing without those that follow.
    private var held: [UInt8] = []

    init(encoding: String) {
        switch encoding.lowercased() {
        case "base64": kind = .base64
        case "quoted-printable": kind = .quotedPrintable
        default: kind = .identity
        }
    }

    mutating func decode(_ bytes: Data) -> Data {
        switch kind {
        case .identity: bytes
        case .base64: decodeBase64(bytes)
        case .quotedPrintable: decodeQuotedPrintable(held + bytes, isEnd: false)
        }
    }

    /// The remaining bytes at the end.
    mutating func finish() -> Data {
        guard kind == .quotedPrintable else { return Data() }
        return decodeQuotedPrintable(held, isEnd: true)
    }

    private mutating func decodeBase64(_ bytes: Data) -> Data {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 3 / 4 + 3)
        for byte in bytes where !isEnded {
            if byte == UInt8(ascii: "=") {
                // Some put several encoded pieces behind one another.
                bits = 0
                bitCount = 0
                continue
            }
            guard let value = Self.base64Value(byte) else { continue }
            bits = (bits << 6 | UInt32(value)) & 0xff_ffff
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return Data(output)
    }

    private static func base64Value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private mutating func decodeQuotedPrintable(_ bytes: [UInt8], isEnd: Bool) -> Data {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        held = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "="):
                guard let (meaning, length) = Self.escape(bytes[index...], isEnd: isEnd) else {
                    held = Array(bytes[index...])
                    return Data(output)
                }
                if let meaning { output.append(meaning) }
                index += length
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                // At the end of a line it was added on the way, and means nothing.
                var end = index
                while end < bytes.count, bytes[end] == 32 || bytes[end] == 9 { end += 1 }
                if end == bytes.count, !isEnd, end - index < 1_000 {
                    held = Array(bytes[index...])
                    return Data(output)
                }
                let isTrailing = end == bytes.count || bytes[end] == 13 || bytes[end] == 10
                if !isTrailing { output.append(contentsOf: bytes[index..<end]) }
                index = end
            default:
                output.append(byte)
                index += 1
            }
        }
        return Data(output)
    }

    /// The value and length of an `=…` sequence; nil if more bytes are needed.
    private static func escape(
        _ bytes: ArraySlice<UInt8>, isEnd: Bool
    ) -> (meaning: UInt8?, length: Int)? {
        let next = Array(bytes.dropFirst().prefix(2))
        if let high = next.first.flatMap(hexValue), next.count > 1, let low = hexValue(next[1]) {
            return (high << 4 | low, 3)
        }
        if next.first == 10 { return (nil, 2) }
        if next == [13, 10] { return (nil, 3) }
        // A soft line break that got blanks.
        let blanks = bytes.dropFirst().prefix { $0 == 32 || $0 == 9 }.count
        if blanks > 0 {
            let behind = Array(bytes.dropFirst(1 + blanks).prefix(2))
            if behind == [13, 10] { return (nil, blanks + 3) }
            if behind.first == 10 { return (nil, blanks + 2) }
            if behind.count < 2, !isEnd, blanks < 1_000 { return nil }
        } else if next.count < 2, !isEnd {
            return nil
        }
        return next.isEmpty && isEnd ? (nil, 1) : (UInt8(ascii: "="), 1)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
