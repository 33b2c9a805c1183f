public import MailKernelAPI

/// The line that a list shows of a message.
public enum Preview {
    static let length = 256

    /// Up to 256 characters of what was written: no white space runs, no quoted text, no signature, nothing
    /// that cannot be seen.
    public static func of(_ body: EmailBody) -> String {
        of(BodyParts.split(body.structure), body.values)
    }

    static func of(_ parts: BodyParts, _ values: [String: EmailBodyValue]) -> String {
        var fallback = ""
        for part in parts.textBody {
            guard let value = part.partID.flatMap({ values[$0] })?.value else { continue }
            let text = part.type == "text/html" ? PlainText.beginning(of: value) : value
            let preview = of(text: text)
            if preview.hasText { return preview.text }
            if fallback.isEmpty { fallback = preview.text }
        }
        return fallback
    }

    /// The preview of a plain text.
    static func of(text: String) -> (text: String, hasText: Bool) {
        // What could fill the line many times over is enough to look at.
        let head = text.prefix(utf8: 32_768, isHTML: false)
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false)
        var line = PreviewLine()
        for (index, original) in lines.enumerated() where !line.isFull {
            if original == "-- " || original == "--", line.hasText { break }
            if original.first == ">" { continue }
            if QuoteIntroduction.isOne(at: index, in: lines) { continue }
            if QuoteIntroduction.isSeparator(original), line.hasText { break }
            line.add(original)
        }
        if line.hasText { return (line.text, true) }
        var whole = PreviewLine()
        for original in lines where !whole.isFull { whole.add(original.drop { $0 == ">" || $0 == " " }) }
        return (whole.text, false)
    }
}

/// One line of text that takes words until it is long enough.
private struct PreviewLine {
    private(set) var text = ""
    private var count = 0
    private var wantsSpace = false

    var isFull: Bool { count >= Preview.length }
    var hasText: Bool { count > 0 }

    mutating func add(_ line: Substring) {
        wantsSpace = !text.isEmpty
        // Rules of dashes, stars and the like say nothing.
        let isRule = line.count > 2 && line.allSatisfy { !$0.isLetter && !$0.isNumber && $0.isASCII }
        if isRule { return }
        for scalar in line.unicodeScalars {
            if isFull { return }
            if scalar.properties.isWhitespace {
                wantsSpace = !text.isEmpty
            } else if !scalar.isInvisible {
                if wantsSpace, count + 1 < Preview.length {
                    text.unicodeScalars.append(" ")
                    count += 1
                }
                wantsSpace = false
                text.unicodeScalars.append(scalar)
                count += 1
            }
        }
    }
}

extension Unicode.Scalar {
    /// Newsletters fill their previews with such characters; nobody sees them.
    var isInvisible: Bool {
        switch value {
        // Joiners stay: without them emoji and several scripts fall apart.
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F,
            0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x2800, 0x3164, 0xFEFF, 0xFFA0,
            0xFFF9...0xFFFB:
            true
        default: false
        }
    }
}
