/// Long lists of addresses in pieces: GMime's time grows with the square of what it is given at once.
enum AddressPieces {
    private static let size = 2000
    /// Of a group that does not end.
    private static let longest = 20_000
    private static let mostBytes = 4_000_000

    /// Cut at commas that stand between addresses and outside of groups.
    static func of(_ text: String) -> [String] {
        guard text.utf8.count > size else { return [text] }
        var pieces: [String] = []
        var piece: [UInt8] = []
        var (comments, isQuoted, isBracketed, isGroup, isEscaped) = (0, false, false, false, false)
        for byte in text.utf8.prefix(mostBytes) {
            piece.append(byte)
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isQuoted || comments > 0
            case UInt8(ascii: "\"") where comments == 0: isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: comments += 1
            case UInt8(ascii: ")") where !isQuoted: comments = max(0, comments - 1)
            case UInt8(ascii: "<") where !isQuoted && comments == 0: isBracketed = true
            case UInt8(ascii: ">") where !isQuoted && comments == 0: isBracketed = false
            case UInt8(ascii: ":") where !isQuoted && comments == 0 && !isBracketed: isGroup = true
            case UInt8(ascii: ";") where !isQuoted && comments == 0 && !isBracketed: isGroup = false
            default: break
            }
            let isBetween =
                (byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";"))
                && !isQuoted && comments == 0 && !isBracketed && !isGroup
            if isBetween && piece.count >= size || piece.count >= longest {
                pieces.append(String(decoding: piece, as: UTF8.self))
                piece = []
                (comments, isQuoted, isBracketed, isGroup) = (0, false, false, false)
            }
        }
        return pieces + [String(decoding: piece, as: UTF8.self)]
    }
}
