import CCharsets

/// Guesses for bytes sent under a wrong or unknown charset name.
extension Charset {
    /// `decoded`, or the bytes themselves if they are UTF-8: programs name the charset of their language, and then
    /// send UTF-8. An honest character of two bytes is valid UTF-8 in about one of seven cases; six of them, or what
    /// looks like two sequences of three bytes, hardly ever are.
    static func unlessUTF8(
        _ bytes: Span<UInt8>, hasPairs: Bool, _ decoded: (utf8: [UInt8], hasProblem: Bool)
    ) -> ([UInt8], Bool) {
        guard hasPairs || decoded.hasProblem else { return decoded }
        let found = Sequences(bytes)
        guard found.strayBytes == 0, found.all > 0,
            decoded.hasProblem || found.long >= 2 || found.all - found.long >= 6
        else { return decoded }
        let copy = array(bytes, from: 0)
        return isValid(copy) ? (copy, true) : decoded
    }

    /// UTF-8 without control characters: mail that says UTF-16 and looks like this is not UTF-16, in which most
    /// scripts have a zero byte or a control character in each letter.
    static func isPlainText(_ bytes: Span<UInt8>) -> Bool {
        let copy = array(bytes, from: 0)
        return isValid(copy)
            && copy.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) }
    }

    /// The charset that ICU thinks the bytes are in, if it is certain enough and they contain ASCII as it is. It is
    /// not asked about languages in Latin letters, which it confuses.
    static func detected(_ bytes: Span<UInt8>) -> String? {
        let others = array(bytes, from: 0).count { $0 >= 0x80 }
        guard others * 2 > bytes.count else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        var confidence: Int32 = 0
        let length = bytes.extracting(first: 65_536).withUnsafeBytes { input in
            ccharsets_detect(
                input.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: input.count), &name,
                Int32(name.count), &confidence)
        }
        guard length > 0, confidence >= 40 else { return nil }
        let found = String(decoding: name.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            .lowercased()
        let isLikeASCII = ["windows", "iso-8859", "koi8", "shift", "euc", "gb", "big5"]
            .contains(where: found.hasPrefix)
        return isLikeASCII ? found : nil
    }

    /// Japanese programs wrote their seven bits into mail as they were, whatever its name says.
    static func hasJapaneseEscape(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[(escape + 1)...]
            if rest.first == UInt8(ascii: "$"), let last = rest.dropFirst().first,
                last == UInt8(ascii: "B") || last == UInt8(ascii: "@")
            {
                return true
            }
        }
        return false
    }

    static func isValid(_ bytes: [UInt8]) -> Bool {
        isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
    }

    static func isASCII(_ bytes: [UInt8]) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    /// How many sequences of UTF-8 there are in the bytes, and how many other bytes that are not ASCII.
    struct Sequences {
        private(set) var all = 0
        /// Those of three or four bytes.
        private(set) var long = 0
        private(set) var strayBytes = 0

        init(_ bytes: Span<UInt8>) {
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                let needed = byte < 0xC2 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : byte < 0xF5 ? 3 : 0
                if needed > 0, index + needed < bytes.count,
                    (1...needed).allSatisfy({ bytes[index + $0] & 0xC0 == 0x80 })
                {
                    all += 1
                    if needed > 1 { long += 1 }
                } else {
                    if byte >= 0x80 { strayBytes += 1 }
                    index += 1
                    continue
                }
                index += needed + 1
            }
        }
    }
}
