/// Finds tags the way the HTML5 tokenizer does, as far as it matters here: comments and the text of scripts
/// and styles hold none, and quoted attribute values may hold anything.
struct TagScanner {
    enum Kind {
        case start, end, comment
    }

    struct Tag {
        var kind: Kind
        /// Empty for a comment.
        var name: Range<Int>
        var range: Range<Int>
        /// Where its `>` ends; for a raw one, its content follows.
        var attributesEnd = 0
        /// Whether it starts an element like `style`, whose content has no tags and is skipped.
        var isRaw = false
    }

    struct Attribute {
        var name: Range<Int>
        /// As it is written, without its quotes; empty if there is none.
        var value: Range<Int>
    }

    let bytes: [UInt8]
    /// What follows the last tag; for a raw one, its end tag.
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Tag? {
        while let start = find(UInt8(ascii: "<")) {
            position = start + 1
            if skipComment() { return Tag(kind: .comment, name: start..<start, range: start..<position) }
            let isEnd = peek() == UInt8(ascii: "/")
            if isEnd { position += 1 }
            guard let first = peek(), Self.isLetter(first) else {
                // `</ x>`, `<!x>` and `<?x>` are comments.
                guard isEnd || peek() == UInt8(ascii: "!") || peek() == UInt8(ascii: "?") else { continue }
                skip(behind: UInt8(ascii: ">"))
                return Tag(kind: .comment, name: start..<start, range: start..<position)
            }
            let name = take { Self.isBlank($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") }
            while nextAttribute() != nil {}
            var tag = Tag(kind: isEnd ? .end : .start, name: name, range: start..<position)
            tag.attributesEnd = position
            if !isEnd, Self.raw.contains(where: { isWord(name, $0) }) {
                tag.isRaw = true
                skip(toEndOf: name)
            }
            return tag
        }
        position = bytes.count
        return nil
    }

    /// The attributes of a start tag in their order.
    func attributes(of tag: Tag) -> some Sequence<Attribute> {
        var scanner = self
        scanner.position = tag.name.upperBound
        return sequence(state: scanner) { $0.nextAttribute() }
    }

    private static let raw = [
        "style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes",
    ].map { Array($0.utf8) }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func find(_ byte: UInt8) -> Int? { bytes[position...].firstIndex(of: byte) }

    /// The bytes before the first one that matches.
    private mutating func take(until isEnd: (UInt8) -> Bool) -> Range<Int> {
        let start = position
        while let byte = peek(), !isEnd(byte) { position += 1 }
        return start..<position
    }

    /// Whether these bytes are the word, in letters of either case.
    func isWord(_ range: Range<Int>, _ word: some Collection<UInt8>) -> Bool {
        range.count == word.count && zip(bytes[range], word).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    private func has(_ mark: StaticString) -> Bool {
        mark.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skip(behind byte: UInt8) {
        position = find(byte).map { $0 + 1 } ?? bytes.count
    }

    private mutating func skipComment() -> Bool {
        guard has("!--") else { return false }
        position += 3
        if has(">") || has("->") {
            skip(behind: UInt8(ascii: ">"))
            return true
        }
        while let dash = find(UInt8(ascii: "-")) {
            position = dash + 1
            if has("->") || has("-!>") {
                skip(behind: UInt8(ascii: ">"))
                return true
            }
        }
        position = bytes.count
        return true
    }

    /// Nil behind the tag's end.
    private mutating func nextAttribute() -> Attribute? {
        _ = take { !Self.isBlank($0) && $0 != UInt8(ascii: "/") }
        guard let first = peek() else { return nil }
        guard first != UInt8(ascii: ">") else {
            position += 1
            return nil
        }
        let start = position
        position += 1
        _ = take {
            Self.isBlank($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "=")
        }
        let name = start..<position
        _ = take { !Self.isBlank($0) }
        guard peek() == UInt8(ascii: "=") else { return Attribute(name: name, value: position..<position) }
        position += 1
        _ = take { !Self.isBlank($0) }
        return Attribute(name: name, value: takeValue())
    }

    private mutating func takeValue() -> Range<Int> {
        guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return take { Self.isBlank($0) || $0 == UInt8(ascii: ">") }
        }
        position += 1
        let end = find(quote) ?? bytes.count
        defer { position = min(end + 1, bytes.count) }
        return position..<end
    }

    /// The text of some elements ends with their own end tag only.
    private mutating func skip(toEndOf name: Range<Int>) {
        while let start = find(UInt8(ascii: "<")) {
            position = start + 1
            let end = start + 2 + name.count
            guard peek() == UInt8(ascii: "/"), end < bytes.count else { continue }
            let ends = Self.isBlank(bytes[end]) || bytes[end] == 0x2F || bytes[end] == 0x3E
            if ends, isWord(start + 2..<end, bytes[name]) {
                position = start
                return
            }
        }
        position = bytes.count
    }
}
