/// The words between the tags of an HTML text, for searching. Good enough to find by, not to show.
struct HTMLText {
    private static let unseen: Set<String> = ["script", "style", "head", "title"]
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
            switch html[next] {
            case UInt8(ascii: "<"):
                passTag()
                text.append(UInt8(ascii: " "))
            case UInt8(ascii: "&"): takeEntity()
            default:
                text.append(html[next])
                next += 1
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

    /// Passes a tag, or the whole element where nobody sees what is in it.
    private mutating func passTag() {
        if hasNext(Array("<!--".utf8), at: next) { return pass("-->") }
        let name = elementName(at: next + 1)
        pass(name.isEmpty || !Self.unseen.contains(name) ? ">" : "</")
        guard Self.unseen.contains(name) else { return }
        while next < html.count, elementName(at: next).prefix(name.count) != name { pass("</") }
        pass(">")
    }

    private func elementName(at start: Int) -> String {
        var name = ""
        for byte in html[min(start, html.count)...].prefix(10) {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: name.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x41...0x5A: name.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            default: return name
            }
        }
        return name
    }

    private func hasNext(_ bytes: [UInt8], at start: Int) -> Bool {
        start + bytes.count <= html.count && html[start..<(start + bytes.count)].elementsEqual(bytes)
    }

    /// Goes on behind the next `mark`, or to the end if there is none.
    private mutating func pass(_ mark: String) {
        let bytes = Array(mark.utf8)
        while next < html.count, !hasNext(bytes, at: next) { next += 1 }
        next = min(html.count, next + bytes.count)
    }
}
