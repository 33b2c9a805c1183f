/// Text is compared byte by byte, as the comparators of Sieve define it. `String` would take different bytes for
/// equal where Unicode calls them equivalent.
typealias Bytes = [UInt8]

extension UInt8 {
    var lowered: UInt8 { self >= 0x41 && self <= 0x5a ? self + 0x20 : self }
    var raised: UInt8 { self >= 0x61 && self <= 0x7a ? self - 0x20 : self }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { lowered >= 0x61 && lowered <= 0x7a }
    /// May stand in the name of a command, a tag or a variable.
    var isWord: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    var isSpace: Bool { isBlank || self == 0x0d || self == 0x0a }
    /// Follows the first byte of a character in UTF-8.
    var isContinuation: Bool { self & 0xc0 == 0x80 }
}

extension Sequence<UInt8> {
    var lowered: Bytes { map(\.lowered) }
}

extension [UInt8] {
    /// The text, with replacement characters for what is not UTF-8.
    var text: String { String(decoding: self, as: UTF8.self) }

    func trimmed(_ isOutside: (UInt8) -> Bool = { $0.isSpace }) -> Bytes {
        guard let first = firstIndex(where: { !isOutside($0) }),
            let last = lastIndex(where: { !isOutside($0) })
        else { return [] }
        return Bytes(self[first...last])
    }

    /// The beginning of at most `limit` bytes that cuts no character.
    func limited(to limit: Int) -> Bytes {
        guard count > limit else { return self }
        var end = Swift.max(0, limit)
        while end > 0, self[end].isContinuation { end -= 1 }
        return Bytes(self[..<end])
    }
}

extension String {
    var bytes: Bytes { Bytes(utf8) }
    /// In lower case where it is ASCII.
    var lowered: String { utf8.map(\.lowered).text }

    /// Whether it is this text once it is in lower case, without making that.
    func isLowered(_ text: String) -> Bool {
        utf8.count == text.utf8.count && zip(utf8, text.utf8).allSatisfy { $0.lowered == $1 }
    }
}
