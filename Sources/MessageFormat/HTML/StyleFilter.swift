/// Lets through the style that cannot do harm: known properties whose values load nothing and call nothing.
enum StyleFilter {
    /// A `style` attribute.
    ///
    /// - Parameters:
    ///   - remote: records remote URLs, and decides which are loaded.
    ///   - marksBlocked: whether to write that a background image is missing.
    static func declarations(
        _ text: String, _ remote: inout RemoteContent, marksBlocked: Bool = true
    ) -> String {
        guard text.utf8.count <= 20_000 else { return "" }
        var kept: [String] = []
        var blocksImage = false
        for declaration in pieces(of: withoutComments(text), at: UInt8(ascii: ";")) {
            guard let colon = declaration.firstIndex(of: ":") else { continue }
            let name = declaration[..<colon].lowercased().trimmingBlanks()
            let value = StyleValue(String(declaration[declaration.index(after: colon)...]).trimmingBlanks())
            let isKept =
                properties.contains(name) && isSafe(value.plain) && !overlaps(name, value.plain)
                && !writes(name, value.plain)
            let loaded = value.loading(isKept && imageProperties.contains(name), &remote)
            blocksImage = blocksImage || isKept && name.hasPrefix("background") && loaded.leavesOut
            if let text = loaded.text, isKept {
                kept.append(keepingWords(name, ViewportUnits.fixed(text)))
            }
        }
        if blocksImage, marksBlocked { kept.append(blockedImage) }
        return kept.joined(separator: ";")
    }

    /// A declaration under which long words are broken, but where there is room stay whole: with the values left out
    /// here, a column of a table may be as narrow as a letter.
    private static func keepingWords(_ name: String, _ value: String) -> String {
        let lower = value.lowercased()
        switch name {
        case "overflow-wrap" where lower.containsBytes(of: "anywhere"),
            "word-wrap" where lower.containsBytes(of: "anywhere"):
            return "\(name):\(lower.replacing("anywhere", with: "break-word"))"
        case "word-break" where lower.containsBytes(of: "break-word"): return "overflow-wrap:\(lower)"
        case "word-break" where lower.containsBytes(of: "break-all"):
            return "overflow-wrap:\(lower.replacing("break-all", with: "break-word"))"
        default: return "\(name):\(value)"
        }
    }

    /// Whether it makes text that no element holds, and that no comparison of a link with its text sees.
    private static func writes(_ name: String, _ value: String) -> Bool {
        (name.hasPrefix("list-style") || name == "quotes") && value.utf8.contains { "\"'".utf8.contains($0) }
    }

    /// Whether it can lay an element over another, or a line over letters: a link would then wear the text beside it,
    /// or only part of its own.
    private static func overlaps(_ name: String, _ value: String) -> Bool {
        switch name {
        case "text-indent", "word-spacing": value.utf8.contains(UInt8(ascii: "-"))
        case "text-decoration": hasLength(value)
        default: name.hasPrefix("margin") && value.utf8.contains(UInt8(ascii: "-"))
        }
    }

    /// Whether a word of a value is a length. Numbers of colors begin with `#` or are within brackets.
    private static func hasLength(_ value: String) -> Bool {
        // No blank is needed behind a bracket.
        pieces(of: value.lowercased().replacing(")", with: ") "), at: 0x20).contains { word in
            word.utf8.first.map { "0123456789.+-".utf8.contains($0) } == true
                || ["calc(", "min(", "max(", "clamp("].contains { word.hasPrefix($0) }
        }
    }

    /// A style sheet: rules, and rules within `@media`; all other at-rules are left out.
    static func sheet(_ text: String, _ remote: inout RemoteContent) -> String {
        var parser = StyleSheetReader(
            withoutComments(text.replacing("<!--", with: " ").replacing("-->", with: " ")))
        return parser.rules(depth: 0, &remote)
    }

    /// Marks an element whose background image is not shown: its text may have been made for that.
    static let blockedImage = "--blocked-image:1"

    /// An image in a value.
    static func image(at url: String) -> String {
        var text: [UInt8] = []
        for byte in url.utf8 {
            let isPlain = byte > 0x20 && byte < 0x7F && !"\"'()<>\\".utf8.contains(byte)
            text += isPlain ? [byte] : Array("%\(hex(byte))".utf8)
        }
        return "url(\"\(String(decoding: text, as: UTF8.self))\")"
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// Whether a value is free of anything that loads, runs or ends the value.
    private static func isSafe(_ value: String) -> Bool {
        var word: [UInt8] = []
        var quote: UInt8?
        var depth = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: "{"), UInt8(ascii: "}"),
                UInt8(ascii: "@"), UInt8(ascii: ";"), 0..<0x20, 0x7F:
                return false
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = byte } else if quote == byte { quote = nil }
            case UInt8(ascii: "("):
                guard quote == nil else { return false }
                depth += 1
                guard functions.contains(String(decoding: word, as: UTF8.self)) || word.isEmpty && depth > 1
                else { return false }
            case UInt8(ascii: ")") where quote == nil: depth -= 1
            default: break
            }
            let isWord = byte >= 0x80 || byte == UInt8(ascii: "-") || Parameters.isAtomText(byte)
            if isWord { word.append(asciiLowercased(byte)) } else { word = [] }
        }
        let lower = value.lowercased()
        return quote == nil && depth == 0 && !lower.containsBytes(of: "expression")
            && !lower.containsBytes(of: "javascript")
    }

    /// Splits where the separator is outside of quotes and brackets.
    static func pieces(of text: String, at separator: UInt8) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var quote: UInt8?
        var depth = 0
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if let open = quote {
                if byte == open || byte == 0x0A { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "(") {
                depth += 1
            } else if byte == UInt8(ascii: ")") {
                depth = max(0, depth - 1)
            } else if byte == separator, depth == 0 {
                pieces.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
        }
        pieces.append(text[start...])
        return pieces
    }

    /// A comment separates words.
    private static func withoutComments(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "*")) else { return text }
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "/"), bytes.first == UInt8(ascii: "*") else {
                output.append(byte)
                continue
            }
            bytes = bytes.dropFirst()
            var previous: UInt8 = 0
            while let inside = bytes.popFirst() {
                if previous == UInt8(ascii: "*"), inside == UInt8(ascii: "/") { break }
                previous = inside
            }
            output.append(0x20)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let functions: Set<String> = [
        "rgb", "rgba", "hsl", "hsla", "calc", "min", "max", "clamp", "linear-gradient", "radial-gradient",
        "repeating-linear-gradient",
    ]

    /// Whose images are shown.
    private static let imageProperties: Set<String> = [
        "background", "background-image", "list-style", "list-style-image",
    ]

    private static let properties: Set<String> = {
        let sides = ["top", "right", "bottom", "left"]
        let boxes = sides.flatMap { side in
            ["margin-\(side)", "padding-\(side)", "border-\(side)"]
                + ["width", "style", "color"].map { "border-\(side)-\($0)" }
        }
        let single = [
            "background", "background-color", "background-image", "background-position", "background-repeat",
            "background-size", "border", "border-collapse", "border-color", "border-radius",
            "border-spacing", "border-style", "border-width", "box-sizing", "caption-side", "clear", "color",
            "direction", "display", "empty-cells", "float", "font", "font-family", "font-size", "font-style",
            "font-variant", "font-weight", "height", "letter-spacing", "line-height", "list-style",
            "list-style-image", "list-style-position", "list-style-type", "margin", "max-height", "max-width",
            "min-height",
            "min-width", "opacity", "overflow", "overflow-wrap", "padding", "page-break-after",
            "page-break-before", "table-layout", "text-align", "text-decoration", "text-decoration-color",
            "text-decoration-line", "text-indent", "text-overflow", "text-transform", "unicode-bidi",
            "vertical-align", "visibility", "white-space", "width", "word-break", "word-spacing", "word-wrap",
            "border-top-left-radius", "border-top-right-radius", "border-bottom-left-radius",
            "border-bottom-right-radius", "font-stretch", "hyphens", "tab-size", "quotes", "orphans",
            "widows",
        ]
        return Set(boxes + single)
    }()
}
