import FoundationEssentials

/// Joins lines that were folded (RFC 5545, section 3.1). Some programs fold inside of a character, so this comes before
/// the text is decoded.
enum Unfolding {
    static func unfolded(_ bytes: Data) -> Data {
        var result = Data(capacity: bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            let next = bytes.index(after: index)
            guard byte == 0x0D || byte == 0x0A else {
                // libical reads strings of C, which end at a zero.
                if byte != 0 { result.append(byte) }
                index = next
                continue
            }
            let isPair = byte == 0x0D && next < bytes.endIndex && bytes[next] == 0x0A
            let after = isPair ? bytes.index(after: next) : next
            if after < bytes.endIndex, bytes[after] == 0x20 || bytes[after] == 0x09 {
                index = bytes.index(after: after)
            } else {
                result.append(0x0A)
                index = after
            }
        }
        return result
    }
}
