public import MailKernelAPI

/// The line that a list shows of a message.
public enum Preview {
    static let length = 256

    /// Up to 256 characters of the new text: without repeated white space, quotes, signature or invisible
    /// characters.
    public static func of(_ body: EmailBody) -> String {
        of(BodyParts.split(body.structure), body.values)
    }

    static func of(_ parts: BodyParts, _ values: [String: EmailBodyValue]) -> String {
        var fallback = ""
        for part in parts.textBody {
            guard let value = part.partID.flatMap({ values[$0] })?.value else { continue }
            let text =
                part.type == "text/html"
                ? PlainText.beginning(of: value, enough: 4 * length) : joined(value, part)
            let preview = of(text: text)
            if preview.hasText { return preview.text }
            if fallback.isEmpty { fallback = preview.text }
        }
        return fallback
    }

    /// Where the spaces that end lines are not part of the text, words continue in the next line.
    private static func joined(_ value: String, _ part: EmailBodyPart) -> String {
        let type = part.headers.last { $0.name.isSameField(as: "Content-Type") }?.value ?? ""
        guard case .flowed(deletesSpace: true) = FlowedLines.Kind(contentType: type) else { return value }
        return FlowedText.joined(String(value.prefix(utf8: 65_536, isHTML: false)), deletesSpaces: true)
    }

    /// The preview of a plain text.
    static func of(text: String) -> (text: String, hasText: Bool) {
        // Most lines are filled by the beginning of the text; only where that is quoted, look further.
        for size in [1024, 4096] where text.utf8.count > size {
            let beginning = of(head: text.prefix(utf8: size, isHTML: false))
            if beginning.isFull { return (beginning.text, beginning.hasText) }
        }
        let whole = of(head: text.prefix(utf8: 65_536, isHTML: false))
        return (whole.text, whole.hasText)
    }

    private static func of(head: Substring) -> (text: String, hasText: Bool, isFull: Bool) {
        let lines = head.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map(Substring.init)
        var line = PreviewLine()
        for (index, original) in lines.enumerated() where !line.isFull {
            let first = original.utf8.first
            if first == nil || first == UInt8(ascii: ">") { continue }
            if first == UInt8(ascii: "-") || first == UInt8(ascii: "_"), line.hasText {
                if original == "-- " || original == "--" || QuoteIntroduction.isSeparator(original) { break }
            }
            if QuoteIntroduction.isOne(at: index, in: lines) { continue }
            line.add(original)
        }
        if line.hasText { return (line.text, true, line.isFull) }
        var whole = PreviewLine()
        for original in lines where !whole.isFull { whole.add(original.drop { $0 == ">" || $0 == " " }) }
        return (whole.text, false, false)
    }
}

/// One line of text that takes words until it is long enough.
private struct PreviewLine {
    private(set) var text = ""
    private var count = 0
    private var wantsSpace = false
    /// Stands between two characters or not at all: newsletters fill their previews with such.
    private var joiner: Unicode.Scalar?

    var isFull: Bool { count >= Preview.length }
    var hasText: Bool { count > 0 }

    mutating func add(_ line: Substring) {
        wantsSpace = !text.isEmpty
        // Rules of dashes, stars and the like say nothing.
        if line.utf8.count > 2, line.utf8.allSatisfy(Self.isMark) { return }
        for scalar in line.unicodeScalars {
            if isFull { return }
            if scalar.isASCII ? scalar.value <= 0x20 : scalar.properties.isWhitespace {
                wantsSpace = !text.isEmpty
            } else if scalar.isJoiner {
                joiner = wantsSpace || text.isEmpty ? nil : scalar
            } else if !scalar.isInvisible {
                append(scalar)
            }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let before = wantsSpace ? " " : joiner
        if let before, count + 1 < Preview.length {
            text.unicodeScalars.append(before)
            count += 1
        }
        (wantsSpace, joiner) = (false, nil)
        text.unicodeScalars.append(scalar)
        count += 1
    }
}

extension PreviewLine {
    /// ASCII that is neither letter nor digit.
    fileprivate static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            false
        default: true
        }
    }
}

extension Unicode.Scalar {
    /// Emoji and several scripts need them.
    var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Characters that are not visible.
    var isInvisible: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F,
            0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x2800, 0x3164, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB:
            true
        default: false
        }
    }
}
