/// The words between the tags of an HTML text, for searching. Good enough to find by, not to show.
struct HTMLText {
    private static let unseen = ["script", "style", "head", "title"].map { Array($0.utf8) }
    private static let comment = (begin: Array("<!--".utf8), end: Array("-->".utf8))
    private static let tagEnd = [UInt8(ascii: ">")]
    private static let closing = Array("</".utf8)
    private static let entities: [(name: [UInt8], character: UInt8)] = [
        (Array("lt;".utf8), UInt8(ascii: "<")), (Array("gt;".utf8), UInt8(ascii: ">")),
        (Array("quot;".utf8), UInt8(ascii: "\"")), (Array("#39;".utf8), UInt8(ascii: "'")),
        (Array("nbsp;".utf8), UInt8(ascii: " ")), (Array("amp;".utf8), UInt8(ascii: "&")),
    ]

    private let html: [UInt8]
    private var next = 0
    private var text: [UInt8] = []

    static func text(of html: String) -> String {
        var reading = HTMLText(html: Array(html.utf8))
        reading.text.reserveCapacity(reading.html.count / 2)
        reading.run()
        return String(decoding: reading.text, as: UTF8.self)
    }

    private mutating func run() {
        while next < html.count {
            let end =
                html[next...].firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") } ?? html.count
            text.append(contentsOf: html[next..<end])
            next = end
            guard next < html.count else { return }
            if html[next] == UInt8(ascii: "<") {
                passTag()
                text.append(UInt8(ascii: " "))
            } else {
                takeEntity()
            }
        }
    }

    private mutating func takeEntity() {
        for (name, character) in Self.entities where hasNext(name, at: next + 1) {
            text.append(character)
            next += name.count + 1
            return
        }
        text.append(html[next])
        next += 1
    }

    /// Skips a tag, or the whole element if it is hidden.
    private mutating func passTag() {
        if hasNext(Self.comment.begin, at: next) { return pass(Self.comment.end) }
        guard
            let name = Self.unseen.first(where: { hasName($0, at: next + 1) && !isName(next + 1 + $0.count) })
        else { return pass(Self.tagEnd) }
        repeat { pass(Self.closing) } while next < html.count && !hasName(name, at: next)
        pass(Self.tagEnd)
    }

    /// Whether an element's name begins like this, in letters of either case.
    private func hasName(_ name: [UInt8], at start: Int) -> Bool {
        guard start + name.count <= html.count else { return false }
        for index in name.indices where html[start + index] | 0x20 != name[index] { return false }
        return true
    }

    private func isName(_ index: Int) -> Bool {
        index < html.count && TextFolding.isASCIIPartOfWord(html[index])
    }

    private func hasNext(_ bytes: [UInt8], at start: Int) -> Bool {
        guard start + bytes.count <= html.count else { return false }
        for index in bytes.indices where html[start + index] != bytes[index] { return false }
        return true
    }

    /// Continues after the next `mark`, or at the end if there is none.
    private mutating func pass(_ mark: [UInt8]) {
        while let found = html[next...].firstIndex(of: mark[0]) {
            next = found
            if hasNext(mark, at: next) {
                next += mark.count
                return
            }
            next += 1
        }
        next = html.count
    }
}
