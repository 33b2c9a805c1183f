/// Keeps HTML from being nested so deeply that reading it takes minutes: the time that the HTML5 rules need
/// grows with the square of the depth.
///
/// It only counts, and errs to the safe side: a tag is taken as closed only if that is beyond doubt.
struct NestingGuard {
    private static let deepest = 2000
    private static let mostTags = 200_000

    private var open: [Substring.UTF8View] = []
    private var tagCount = 0
    private var output: [UInt8] = []

    /// The HTML without the tags that go too deep; nil if it may stay as it is.
    static func flattened(_ html: String) -> String? {
        let brackets = html.utf8.reduce(into: 0) { count, byte in
            if byte == UInt8(ascii: "<") { count += 1 }
        }
        guard brackets > deepest else { return nil }
        var counter = NestingGuard()
        return counter.run(html)
    }

    private mutating func run(_ html: String) -> String? {
        let bytes = html.utf8
        var copied = bytes.startIndex
        var scanner = TagScanner(bytes)
        while let tag = scanner.next() {
            if tag.isEnd {
                close(tag.name)
                continue
            }
            tagCount += 1
            if Self.isVoid(tag.name) || tag.isSkipped { continue }
            if open.count >= Self.deepest || tagCount > Self.mostTags {
                output += bytes[copied..<tag.range.lowerBound]
                copied = tag.range.upperBound
            } else {
                open.append(tag.name)
            }
        }
        guard copied > bytes.startIndex else { return nil }
        output += bytes[copied...]
        return String(decoding: output, as: UTF8.self)
    }

    /// Closes the innermost element, and those within it whose end tag may be left out.
    private mutating func close(_ name: Substring.UTF8View) {
        var index = open.count
        while index > 0 {
            let candidate = open[index - 1]
            if candidate.isSameWord(as: name) {
                open.removeLast(open.count - index + 1)
                return
            }
            guard Self.mayStayOpen.contains(where: { candidate.isSameWord(as: Substring($0).utf8) }) else {
                return
            }
            index -= 1
        }
    }

    private static let mayStayOpen = ["p", "li", "td", "tr", "th", "tbody", "dd", "dt", "option"]

    private static let void = [
        "br", "img", "hr", "meta", "link", "input", "col", "area", "base", "wbr", "embed", "param", "source",
    ]

    private static func isVoid(_ name: Substring.UTF8View) -> Bool {
        void.contains { name.isSameWord(as: Substring($0).utf8) }
    }
}

extension Substring.UTF8View {
    fileprivate func isSameWord(as other: Substring.UTF8View) -> Bool {
        elementsEqual(other) { one, other in one | 0x20 == other | 0x20 }
    }
}

/// Finds tags the way the HTML5 tokenizer does, as far as it matters here: comments and the text of scripts
/// and styles hold none, and quoted attribute values may hold anything.
private struct TagScanner {
    struct Tag {
        var name: Substring.UTF8View
        var isEnd: Bool
        /// A script or style, whose content was passed by.
        var isSkipped = false
        var range: Range<String.Index>
    }

    private let bytes: String.UTF8View
    private var index: String.Index

    init(_ bytes: String.UTF8View) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func next() -> Tag? {
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = bytes.index(after: start)
            if skipComment() { continue }
            let isEnd = peek() == UInt8(ascii: "/")
            if isEnd { index = bytes.index(after: index) }
            guard let first = peek(), Self.isLetter(first) else { continue }
            let nameStart = index
            index = bytes[index...].firstIndex { $0 <= 0x20 || $0 == 0x2F || $0 == 0x3E } ?? bytes.endIndex
            let name = Substring(bytes[nameStart..<index]).utf8
            skipAttributes()
            var tag = Tag(name: name, isEnd: isEnd, range: start..<index)
            if !isEnd, ["style", "script"].contains(where: { name.isSameWord(as: Substring($0).utf8) }) {
                tag.isSkipped = skip(to: "</")
            }
            return tag
        }
        return nil
    }

    private func peek() -> UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private mutating func skipComment() -> Bool {
        guard bytes[index...].starts(with: "!--".utf8) else { return false }
        index = bytes.index(index, offsetBy: 3)
        if peek() == UInt8(ascii: ">") || bytes[index...].starts(with: "->".utf8) { return true }
        while let dash = bytes[index...].firstIndex(of: UInt8(ascii: "-")) {
            index = bytes.index(after: dash)
            if bytes[index...].starts(with: "->".utf8) || bytes[index...].starts(with: "-!>".utf8) {
                return true
            }
        }
        index = bytes.endIndex
        return true
    }

    private mutating func skipAttributes() {
        var quote: UInt8?
        var isValue = false
        while let byte = peek() {
            index = bytes.index(after: index)
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return
            } else if isValue, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                (quote, isValue) = (byte, false)
            } else if byte == UInt8(ascii: "=") {
                isValue = true
            } else if byte > 0x20 {
                isValue = false
            }
        }
    }

    private mutating func skip(to word: String) -> Bool {
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start
            if bytes[index...].starts(with: word.utf8) { return true }
            index = bytes.index(after: index)
        }
        return true
    }
}
