/// Limits the nesting of HTML, because the HTML5 parsing algorithm takes quadratic time in its depth. Also
/// limits open formatting elements such as `b`, each of which is reopened in every following paragraph, even
/// after its parent was closed.
///
/// It only counts, conservatively: a tag counts as closed only if that is certain. Input that deceives it is
/// stopped by the parser's own limits.
struct NestingGuard {
    private static let deepest = 2000
    private static let mostFormatting = 100
    private static let mostTags = 200_000
    /// So few tags are always harmless.
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
        var scanner = TagScanner(Array(html.utf8))
        let bytes = scanner.bytes
        var copied = 0
        while let tag = scanner.next() {
            let name = Name(bytes[tag.name])
            switch tag.kind {
            case .comment: continue
            case .end:
                close(name)
                continue
            case .start: tagCount += 1
            }
            if name.isVoid || tag.isRaw { continue }
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
        guard copied > 0 else { return nil }
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
            // A table cell cannot close elements that were opened outside it.
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

    init(_ bytes: some Sequence<UInt8>) {
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
        self.init(name.utf8)
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
