/// Keeps HTML from being nested so deeply that reading it takes minutes: the time that the HTML5 rules need
/// grows with the square of the depth. And keeps elements like `b` from staying open in great number: each of
/// them is made anew in every paragraph that follows, even when what they stood in has been closed.
///
/// It only counts, and errs to the safe side: a tag is taken as closed only if that is beyond doubt. What
/// deceives it nevertheless ends at the bounds that the parser itself has.
struct NestingGuard {
    private static let deepest = 2000
    private static let mostFormatting = 100
    private static let mostTags = 200_000
    /// So few tags are harmless whatever they are.
    private static let fewTags = 200

    private var open: [Name] = []
    /// How often each name is in `open`.
    private var counts: [Name: Int] = [:]
    private var formattingCount = 0
    private var tagCount = 0
    private var output: [UInt8] = []

    /// The HTML without the tags that go too deep; nil if it may stay as it is.
    static func flattened(_ html: String) -> String? {
        let brackets = html.utf8.reduce(into: 0) { count, byte in
            if byte == UInt8(ascii: "<") { count += 1 }
        }
        guard brackets > fewTags else { return nil }
        var counter = NestingGuard()
        return counter.run(html)
    }

    private mutating func run(_ html: String) -> String? {
        let bytes = html.utf8
        var copied = bytes.startIndex
        var scanner = TagScanner(bytes)
        while let tag = scanner.next() {
            let name = Name(tag.name)
            if tag.isEnd {
                close(name)
                continue
            }
            tagCount += 1
            if name.isVoid || tag.isSkipped { continue }
            let isTooMuch = name.isFormatting && formattingCount >= Self.mostFormatting
            if isTooMuch || open.count >= Self.deepest || tagCount > Self.mostTags {
                output += bytes[copied..<tag.range.lowerBound]
                copied = tag.range.upperBound
            } else {
                open.append(name)
                counts[name, default: 0] += 1
                if name.isFormatting { formattingCount += 1 }
            }
        }
        guard copied > bytes.startIndex else { return nil }
        output += bytes[copied...]
        return String(decoding: output, as: UTF8.self)
    }

    /// Closes the innermost element, and those within it whose end tag may be left out.
    private mutating func close(_ name: Name) {
        guard counts[name] != nil else { return }
        var index = open.count
        while index > 0 {
            index -= 1
            if open[index] == name {
                for closed in open[index...] { forget(closed) }
                open.removeLast(open.count - index)
                return
            }
            // A cell of a table keeps what was open around it out of reach.
            guard open[index].mayStayOpen, !(name.isFormatting && open[index].isOfTable) else { return }
        }
    }

    private mutating func forget(_ name: Name) {
        let count = counts[name] ?? 0
        counts[name] = count > 1 ? count - 1 : nil
        if name.isFormatting { formattingCount -= 1 }
    }
}

/// The name of an element, as far as it has to be told from others.
private struct Name: Hashable {
    /// Up to eight letters, in lower case. Those of longer names are mixed, and their highest bit is set, which
    /// that of a first letter never is.
    private let letters: UInt64

    init(_ bytes: Substring.UTF8View) {
        var letters: UInt64 = 0
        var count = 0
        for byte in bytes {
            let isUpper = (0x41...0x5A).contains(byte)
            letters = (letters << 8 | letters >> 56) ^ UInt64(isUpper ? byte | 0x20 : byte)
            count += 1
        }
        self.letters = count > 8 ? letters | 1 << 63 : letters
    }

    private init(_ name: String) {
        self.init(Substring(name).utf8)
    }

    var isVoid: Bool { Self.void.contains(self) }
    var isFormatting: Bool { Self.formatting.contains(self) }
    var mayStayOpen: Bool { Self.open.contains(self) || isOfTable }
    var isOfTable: Bool { Self.table.contains(self) }

    private static let open = Set(["p", "li", "dd", "dt", "option"].map { Name($0) })
    private static let table = Set(["td", "tr", "th", "tbody"].map { Name($0) })
    private static let void = Set(
        [
            "br", "img", "hr", "meta", "link", "input", "col", "area", "base", "wbr", "embed", "param",
            "source",
        ].map { Name($0) })
    private static let formatting = Set(
        [
            "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
        ].map { Name($0) })
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
            guard let first = peek(), Self.isLetter(first) else {
                // `</ x>`, `<!x>` and `<?x>` are comments.
                if isEnd || peek() == UInt8(ascii: "!") || peek() == UInt8(ascii: "?") { skipToBracket() }
                continue
            }
            let nameStart = index
            index =
                bytes[index...].firstIndex { Self.isBlank($0) || $0 == 0x2F || $0 == 0x3E } ?? bytes.endIndex
            let name = Substring(bytes[nameStart..<index]).utf8
            skipAttributes()
            var tag = Tag(name: name, isEnd: isEnd, range: start..<index)
            if !isEnd, Self.raw.contains(where: { Self.isWord(name, $0) }) {
                tag.isSkipped = true
                skip(toEndOf: name)
            }
            return tag
        }
        return nil
    }

    private static let raw = ["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes"]

    private func peek() -> UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    private static func isWord(_ bytes: some Sequence<UInt8>, _ word: some StringProtocol) -> Bool {
        bytes.elementsEqual(word.utf8) { $0 | 0x20 == $1 | 0x20 }
    }

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

    private mutating func skipToBracket() {
        let bracket = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
        index = bracket.map { bytes.index(after: $0) } ?? bytes.endIndex
    }

    private enum Place {
        case beforeName, name, afterName, beforeValue, value
        case quoted(UInt8)
    }

    private mutating func skipAttributes() {
        var place = Place.beforeName
        while let byte = peek() {
            index = bytes.index(after: index)
            if case .quoted(let quote) = place {
                if byte == quote { place = .beforeName }
                continue
            }
            if byte == UInt8(ascii: ">") { return }
            let isBlank = Self.isBlank(byte)
            switch place {
            case .beforeName: if !isBlank, byte != UInt8(ascii: "/") { place = .name }
            case .name, .afterName:
                if byte == UInt8(ascii: "=") {
                    place = .beforeValue
                } else if byte == UInt8(ascii: "/") {
                    place = .beforeName
                } else if isBlank {
                    place = .afterName
                } else {
                    place = .name
                }
            case .beforeValue:
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    place = .quoted(byte)
                } else if !isBlank {
                    place = .value
                }
            case .value: if isBlank { place = .beforeName }
            case .quoted: break
            }
        }
    }

    /// The text of some elements ends with their own end tag only.
    private mutating func skip(toEndOf name: Substring.UTF8View) {
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = bytes.index(after: start)
            guard peek() == UInt8(ascii: "/") else { continue }
            let rest = bytes[index...].dropFirst()
            let ends = rest.dropFirst(name.count).first.map { Self.isBlank($0) || $0 == 0x2F || $0 == 0x3E }
            if ends ?? false, Self.isWord(rest.prefix(name.count), Substring(name)) {
                index = start
                return
            }
        }
        index = bytes.endIndex
    }
}
