/// Reads the beginning of a page's text, tag by tag. Parsing the whole page takes ten times as long, and
/// every incoming message needs a preview.
///
/// Anything that requires the HTML tree is left to the full parser.
struct PageBeginning {
    /// Nil for a page that only its tree can tell about.
    ///
    /// - Parameter enough: how many bytes of text outside quotes end it.
    static func text(of html: String, enough: Int) -> String? {
        var beginning = PageBeginning(html)
        return beginning.read(enough) ? beginning.reader.result : nil
    }

    private static let deepest = 200
    /// Quotes before anything else was written are not read without end.
    private static let mostText = 65_536
    /// Nor are tags without text between them.
    private static let mostTags = 100_000

    private var scanner: TagScanner
    private var reader = TextReader(showsLinks: false)
    private var open: [String] = []
    private var textOutsideQuotes = 0

    private init(_ html: String) {
        scanner = TagScanner(Array(html.utf8))
    }

    private mutating func read(_ enough: Int) -> Bool {
        var textStart = scanner.position
        var tags = 0
        while textOutsideQuotes < enough, reader.count < Self.mostText, tags < Self.mostTags {
            tags += 1
            let tag = scanner.next()
            guard write(textStart..<(tag?.range.lowerBound ?? scanner.bytes.count)) else { return false }
            guard let tag else { return true }
            switch tag.kind {
            case .comment: break
            case .end: end(name(of: tag))
            case .start: guard begin(tag) else { return false }
            }
            textStart = scanner.position
        }
        return true
    }

    private mutating func write(_ range: Range<Int>) -> Bool {
        guard let text = CharacterReferences.decode(scanner.bytes[range]) else { return false }
        let before = reader.count
        reader.text(text)
        if !open.contains("blockquote") { textOutsideQuotes += reader.count - before }
        return true
    }

    private func name(of tag: TagScanner.Tag) -> String {
        String(decoding: scanner.bytes[tag.name].map(Self.lowercased), as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

// MARK: Elements

extension PageBeginning {
    private static let void: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ]
    /// These change the open elements around them, or show tags as text.
    private static let difficult: Set = ["frameset", "listing", "plaintext", "template", "xmp"]
    private static let items: Set = ["dd", "dt", "li", "option", "p"]
    private static let telling = ["alt", "hidden", "style"]
    private static let cells: Set = ["caption", "table", "td", "th"]

    private mutating func begin(_ tag: TagScanner.Tag) -> Bool {
        let name = name(of: tag)
        guard !Self.difficult.contains(name), open.count < Self.deepest else { return false }
        endImplied(by: name)
        guard let attributes = attributes(of: tag) else { return false }
        let isEntered = reader.enter(HTMLElement(name: name, attributes: attributes))
        if Self.void.contains(name) {
            if isEntered { reader.leave(name) }
        } else if isEntered {
            if TextReader.changesLayout(name) { open.append(name) }
        } else if tag.isRaw {
            // Its content was skipped; the next tag is its end.
            _ = scanner.next()
        } else {
            return passHidden(name)
        }
        return true
    }

    /// Closes an element and those that stand open in it. An end tag of something around a cell says nothing
    /// within it.
    private mutating func end(_ name: String) {
        guard TextReader.changesLayout(name) else { return reader.leave(name) }
        let isOfTable = Self.cells.contains(name) || name == "tr"
        for index in open.indices.reversed() {
            if open[index] == name { return leave(downTo: index) }
            if !isOfTable, Self.cells.contains(open[index]) { return }
        }
    }

    private mutating func leave(downTo count: Int) {
        while open.count > count { reader.leave(open.removeLast()) }
    }

    /// Some elements end where another of their kind begins.
    private mutating func endImplied(by name: String) {
        while let last = open.last, Self.ends(last, by: name) { leave(downTo: open.count - 1) }
    }

    private static func ends(_ open: String, by name: String) -> Bool {
        switch open {
        case "p": TextReader.changesLayout(name)
        case "li": name == "li"
        case "dd", "dt": name == "dd" || name == "dt"
        case "td", "th": name == "td" || name == "th" || name == "tr"
        case "tr": name == "tr"
        default: false
        }
    }

    /// Skips a hidden element; false if its end is unclear.
    private mutating func passHidden(_ name: String) -> Bool {
        guard !Self.items.contains(name) else { return false }
        var depth = 1
        while depth > 0 {
            guard let tag = scanner.next() else { return false }
            guard tag.kind != .comment, self.name(of: tag) == name else { continue }
            depth += tag.kind == .end ? -1 : 1
        }
        return true
    }

    /// The attributes that decide visibility or provide alternative text; nil if they are unclear.
    private func attributes(of tag: TagScanner.Tag) -> [HTMLElement.Attribute]? {
        var attributes: [HTMLElement.Attribute] = []
        for attribute in scanner.attributes(of: tag) {
            guard let name = Self.telling.first(where: { scanner.isWord(attribute.name, $0.utf8) }) else {
                continue
            }
            guard let value = CharacterReferences.decode(scanner.bytes[attribute.value]) else { return nil }
            attributes.append(HTMLElement.Attribute(name: name, value: value))
        }
        return attributes
    }
}
