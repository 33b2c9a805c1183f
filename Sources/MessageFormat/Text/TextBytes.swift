import CGMime

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }

    /// Names of header fields are compared without regard to case.
    func isSameField(as other: String) -> Bool {
        let (one, other) = (utf8, other.utf8)
        return one.count == other.count
            && zip(one, other).allSatisfy { asciiLowercased($0) == asciiLowercased($1) }
    }

    func prefix(utf8 count: Int, isHTML: Bool) -> Substring {
        guard utf8.count > count else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: max(count, 0))
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        let text = self[..<end]
        guard isHTML else { return text }
        for index in text.utf8.indices.reversed() {
            if text.utf8[index] == UInt8(ascii: ">") { break }
            if text.utf8[index] == UInt8(ascii: "<") { return text[..<index] }
        }
        for index in text.utf8.indices.suffix(10).reversed() {
            if text.utf8[index] == UInt8(ascii: ";") { break }
            if text.utf8[index] == UInt8(ascii: "&") { return text[..<index] }
        }
        return text
    }

    /// Whether the bytes of `other` occur: far faster than a search that respects characters.
    func containsBytes(of other: String) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                g_strstr_len(bytes.baseAddress, bytes.count, other) != nil
            }
        }
    }
}

extension StringProtocol {
    /// Without ASCII white space and any of `others`, which are ASCII too, at both ends.
    func trimmingBlanks(and others: StaticString = "") -> String {
        let isBlank = { (byte: UInt8) in
            byte <= 0x20 || others.withUTF8Buffer { $0.contains(byte) }
        }
        let text = Substring(self)
        guard let first = text.utf8.firstIndex(where: { !isBlank($0) }),
            let last = text.utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first..<text.utf8.index(after: last)])
    }
}

@inline(__always) func asciiLowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
}
