/// The first part of a long page. Only what can be read counts: a page may begin with more comments, scripts and
/// styles than are read in all.
struct HTMLBeginning {
    let text: String
    /// Whether readable content or a style sheet is missing.
    let isCut: Bool

    init(of html: String, limit: Int) {
        guard html.utf8.count > limit else {
            (text, isCut) = (html, false)
            return
        }
        var scanner = TagScanner(Array(html.utf8))
        var kept: [UInt8] = []
        var copied = 0
        // Sheets beyond that are left out.
        var stylesLeft = limit / 4
        var lacksStyles = false
        while kept.count + scanner.position - copied <= limit, let tag = scanner.next() {
            let isStyle = tag.isRaw && scanner.isWord(tag.name, "style".utf8)
            guard isStyle || Self.isUnread(tag, scanner) else { continue }
            // The end tag of an element.
            if tag.isRaw { _ = scanner.next() }
            let length = scanner.position - tag.range.lowerBound
            if isStyle, length <= stylesLeft {
                stylesLeft -= length
                continue
            }
            lacksStyles = lacksStyles || isStyle
            kept += scanner.bytes[copied..<tag.range.lowerBound].prefix(limit)
            copied = scanner.position
        }
        let rest = scanner.bytes[copied...]
        let isLonger = kept.count + rest.count > limit
        // With some bytes more, so that the last character and tag are seen to be cut.
        kept += rest.prefix(max(0, limit + 4 - kept.count))
        text = String(String(decoding: kept, as: UTF8.self).prefix(utf8: limit, isHTML: true))
        isCut = isLonger || lacksStyles
    }

    private static func isUnread(_ tag: TagScanner.Tag, _ scanner: TagScanner) -> Bool {
        switch tag.kind {
        // Scanners see the document type as a comment, and it decides how a page is laid out.
        case .comment:
            !scanner.bytes[tag.range].dropFirst(2).prefix(7).map(asciiLowercased).elementsEqual(
                "doctype".utf8)
        case .start: tag.isRaw && scanner.isWord(tag.name, "script".utf8)
        case .end: false
        }
    }
}
