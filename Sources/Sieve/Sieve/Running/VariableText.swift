/// The modifiers of `set` (RFC 5229, section 4.1).
enum VariableText {
    static func modified(_ text: Bytes, by modifier: String) -> Bytes {
        switch modifier {
        case "lower": text.lowered
        case "upper": text.map(\.raised)
        case "lowerfirst": (text.first.map { [$0.lowered] } ?? []) + text.dropFirst()
        case "upperfirst": (text.first.map { [$0.raised] } ?? []) + text.dropFirst()
        case "quotewildcard": escaped(text, Bytes("*?\\".utf8))
        case "quoteregex": escaped(text, Bytes("*+?{}[]|^$().\\".utf8))
        case "encodeurl": text.flatMap(percent)
        case "length": "\(text.reduce(0) { $0 + ($1.isContinuation ? 0 : 1) })".bytes
        default: text
        }
    }

    private static func escaped(_ text: Bytes, _ special: Bytes) -> Bytes {
        text.flatMap { special.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    private static func percent(_ byte: UInt8) -> Bytes {
        if byte.isLetter || byte.isDigit || Bytes("-_.~".utf8).contains(byte) { return [byte] }
        let digits = String(byte, radix: 16, uppercase: true)
        return "%\(digits.utf8.count < 2 ? "0" : "")\(digits)".bytes
    }
}
