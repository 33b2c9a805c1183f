/// Nearly all addresses are letters, digits and dots: those are known at a glance, which matters where there are
/// a hundred thousand.
enum PlainAddress {
    /// Whether a text is an address that mail can be sent to as it stands. False says nothing.
    static func isOne(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count <= 200, let at = bytes.firstIndex(of: UInt8(ascii: "@")), at <= 64 else {
                return false
            }
            let domain = bytes[(at + 1)...]
            let top = domain.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? at + 1
            return areLabels(bytes[..<at], isLocal: true) && areLabels(domain) && top < bytes.count
                && isLetter(bytes[top])
        }
    }

    /// Words of letters, digits and hyphens with single dots between them, as domains and most local parts are.
    private static func areLabels(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isLocal: Bool = false) -> Bool {
        var length = 0
        var last = UInt8(ascii: ".")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."):
                if length == 0 || last == UInt8(ascii: "-") { return false }
                length = 0
            case UInt8(ascii: "-"):
                if length == 0 { return false }
                length += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                length += 1
            case UInt8(ascii: "_") where isLocal, UInt8(ascii: "+") where isLocal: length += 1
            default: return false
            }
            if length > 63 { return false }
            last = byte
        }
        return length > 0 && last != UInt8(ascii: "-")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
