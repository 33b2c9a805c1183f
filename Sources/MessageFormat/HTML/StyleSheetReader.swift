/// Reads a style sheet rule by rule.
struct StyleSheetReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8.prefix(500_000))
    }

    /// The rules up to the end or to the brace that closes them, filtered.
    mutating func rules(depth: Int, _ remote: inout RemoteContent) -> String {
        var output = ""
        while index < bytes.count {
            let prelude = text(upTo: [UInt8(ascii: "{"), UInt8(ascii: ";"), UInt8(ascii: "}")])
                .trimmingBlanks()
            guard index < bytes.count else { break }
            let mark = bytes[index]
            index += 1
            if mark == UInt8(ascii: "}") {
                if depth > 0 { return output }
                continue
            }
            if mark == UInt8(ascii: ";") {
                if prelude.lowercased().hasPrefix("@import") { remote.refuseStyle() }
                continue
            }
            output += rule(prelude, depth: depth, &remote)
        }
        return output
    }

    private mutating func rule(_ prelude: String, depth: Int, _ remote: inout RemoteContent) -> String {
        if prelude.hasPrefix("@") {
            guard prelude.lowercased().hasPrefix("@media"), depth == 0, Self.isSafe(prelude),
                !ViewportUnits.measuresHeight(media: prelude)
            else {
                skipBlock(&remote)
                return ""
            }
            let inner = rules(depth: depth + 1, &remote)
            return inner.isEmpty ? "" : "\(prelude){\(inner)}"
        }
        let body = text(upTo: [UInt8(ascii: "{"), UInt8(ascii: "}")])
        if index < bytes.count, bytes[index] == UInt8(ascii: "{") {
            // Rules within rules: too new for mail, and easily misread.
            index += 1
            skipBlock(&remote)
            skipBlock(&remote)
            return ""
        }
        index += 1
        let declarations = StyleFilter.declarations(body, &remote)
        guard !declarations.isEmpty, !prelude.isEmpty, Self.isSafe(prelude), !Self.splitsText(prelude) else {
            return ""
        }
        return "\(prelude){\(declarations)}"
    }

    /// Whether a selector gives some letters of a text another look: no comparison of a link with its text sees which.
    private static func splitsText(_ prelude: String) -> Bool {
        prelude.lowercased().containsBytes(of: ":first-l")
    }

    /// Whether a selector or a media query is made of harmless characters, and nothing in it stays open.
    private static func isSafe(_ prelude: String) -> Bool {
        guard prelude.utf8.count < 4000 else { return false }
        var quote: UInt8?
        var open: [UInt8] = []
        for (index, byte) in prelude.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "@") where index > 0: return false
            case UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "}"),
                UInt8(ascii: ";"), UInt8(ascii: "`"), 0..<0x09, 0x0B...0x0C, 0x0E..<0x20:
                return false
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = byte } else if quote == byte { quote = nil }
            case UInt8(ascii: "(") where quote == nil: open.append(UInt8(ascii: ")"))
            case UInt8(ascii: "[") where quote == nil: open.append(UInt8(ascii: "]"))
            case UInt8(ascii: ")") where quote == nil, UInt8(ascii: "]") where quote == nil:
                guard open.popLast() == byte else { return false }
            case 0x0A, 0x0D:
                if quote != nil { return false }
            default: break
            }
        }
        return quote == nil && open.isEmpty
    }

    /// The text up to one of the bytes, outside of quotes. The index is then at that byte.
    private mutating func text(upTo ends: [UInt8]) -> String {
        let start = index
        var quote: UInt8?
        while index < bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open || byte == 0x0A { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if ends.contains(byte) {
                break
            }
            index += 1
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Passes by a block whose brace is open: a font, or rules that no mail needs.
    private mutating func skipBlock(_ remote: inout RemoteContent) {
        let start = index
        var depth = 1
        while index < bytes.count, depth > 0 {
            if bytes[index] == UInt8(ascii: "{") { depth += 1 }
            if bytes[index] == UInt8(ascii: "}") { depth -= 1 }
            index += 1
        }
        let block = String(decoding: bytes[start..<index], as: UTF8.self)
        if StyleValue(block).isRemote { remote.refuseStyle() }
    }
}
