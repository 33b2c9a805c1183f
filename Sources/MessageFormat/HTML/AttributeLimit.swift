/// Limits the attributes of a tag: an HTML5 parser compares each of them with all before it.
///
/// Mail has up to thirty. Where `TagScanner` and the parser disagree about what is a tag, the parser's own time limit
/// remains.
enum AttributeLimit {
    private static let most = 250
    /// No tag that is shorter has so many.
    private static let fewBytes = 2 * most

    /// The HTML without the attributes that exceed the limit; nil if it may stay as it is.
    static func cut(_ html: String) -> String? {
        guard html.utf8.count > fewBytes else { return nil }
        var scanner = TagScanner(Array(html.utf8))
        let bytes = scanner.bytes
        var output: [UInt8] = []
        var copied = 0
        while let tag = scanner.next() {
            guard tag.kind != .comment, tag.attributesEnd - tag.name.upperBound > fewBytes,
                let first = scanner.attributes(of: tag).dropFirst(most).first(where: { _ in true })
            else { continue }
            output += bytes[copied..<first.name.lowerBound]
            output.append(UInt8(ascii: ">"))
            copied = tag.attributesEnd
        }
        guard copied > 0 else { return nil }
        output += bytes[copied...]
        return String(decoding: output, as: UTF8.self)
    }
}
