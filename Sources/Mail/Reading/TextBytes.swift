/// Texts that run something: scripts, shortcuts and web pages, whatever their names say.
struct TextBytes {
    private var text: ArraySlice<UInt8>

    /// - Parameter head: the first bytes of a file; those of UTF-16 count by their ASCII letters.
    init(_ head: [UInt8]) {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            text = head.dropFirst(3)
        } else if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            text = head.dropFirst(2).filter { $0 != 0 }[...]
        } else {
            text = head[...]
        }
    }

    var risk: AttachmentRisk.Kind? {
        // Pictures and the like are no texts.
        guard !text.prefix(1024).contains(0) else { return nil }
        if starts(with: "#!") { return .script }
        var rest = self
        rest.skipComments()
        switch rest.line {
        case "[desktopentry]", "[internetshortcut]": return .shortcut
        case "windowsregistryeditorversion5.00", "regedit4": return .settings
        default: break
        }
        if rest.starts(with: "<?php") || rest.starts(with: "<?=") { return .script }
        return rest.isPage ? .page : nil
    }

    var all: [UInt8] { Array(text) }

    private mutating func skipBlanks() {
        text = text.drop { $0 <= 0x20 }
    }

    /// The lines before a file's first word, however many.
    private mutating func skipComments() {
        skipBlanks()
        while starts(with: "#") || starts(with: ";") {
            text = text.drop { $0 != 0x0A && $0 != 0x0D }
            skipBlanks()
        }
    }

    /// The first line without blanks.
    private var line: String {
        let bytes = text.prefix(512).prefix { $0 != 0x0A && $0 != 0x0D }.filter { $0 > 0x20 }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    /// Whether a browser would show it as a page if its name did not say otherwise.
    private var isPage: Bool {
        var rest = self
        while rest.starts(with: "<!--") || rest.starts(with: "<?") {
            let end: [UInt8] = rest.starts(with: "<?") ? [0x3E] : [0x2D, 0x2D, 0x3E]
            guard let place = rest.text.indices.first(where: { rest.text[$0...].starts(with: end) }) else {
                return false
            }
            rest.text = rest.text[(place + end.count)...]
            rest.skipBlanks()
        }
        return Self.elements.contains { rest.starts(with: $0) }
    }

    private static let elements = [
        "<!doctype html", "<!doctype svg", "<html", "<head", "<body", "<script", "<svg", "<hta:", "<iframe",
        "<meta",
        "<title",
    ]

    func starts(with word: String) -> Bool {
        text.count >= word.utf8.count
            && zip(text, word.utf8).allSatisfy { (0x41...0x5A).contains($0) ? $0 | 0x20 == $1 : $0 == $1 }
    }
}
