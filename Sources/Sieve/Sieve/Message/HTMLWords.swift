/// The text of an HTML part, without its tags, for tests of the body.
struct HTMLWords {
    /// Read in place: a rehearsal goes through hundreds of megabytes, most of which are tags.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    static func text(of html: Bytes) -> Bytes {
        html.withUnsafeBufferPointer { bytes in
            var words = HTMLWords(bytes: bytes)
            return words.text()
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func text() -> Bytes {
        var text: Bytes = []
        while index < bytes.count {
            let start = index
            while index < bytes.count, bytes[index] != Self.tagStart, bytes[index] != Self.ampersand {
                index += 1
            }
            text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
            guard index < bytes.count else { break }
            let isTag = bytes[index] == Self.tagStart
            index += 1
            if isTag { skipTag() } else { text += entity() }
        }
        return text
    }
}

// MARK: Tags

extension HTMLWords {
    private static let tagStart = UInt8(ascii: "<")
    private static let tagEnd = UInt8(ascii: ">")
    private static let ampersand = UInt8(ascii: "&")

    private mutating func skipTag() {
        if starts("!--") { return skip(past: "-->") }
        let isStyle = starts("style")
        let isScript = starts("script")
        skipToEndOfTag()
        if isStyle { skip(past: "</style") } else if isScript { skip(past: "</script") }
        if isStyle || isScript { skip(past: ">") }
    }

    /// A `>` between quotes ends no tag.
    private mutating func skipToEndOfTag() {
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == Self.tagEnd { return }
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
            while index < bytes.count, bytes[index] != byte { index += 1 }
            index = min(index + 1, bytes.count)
        }
    }

    private func starts(_ word: StaticString) -> Bool {
        guard bytes.count - index >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for place in word.indices where bytes[index + place].lowered != word[place] { return false }
            return true
        }
    }

    private mutating func skip(past word: StaticString) {
        while index < bytes.count {
            if starts(word) {
                index += word.utf8CodeUnitCount
                return
            }
            index += 1
        }
    }
}

// MARK: Characters by name or number

extension HTMLWords {
    private static let longestName = 11
    private static let known = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "nbsp": "\u{a0}",
    ]

    private mutating func entity() -> Bytes {
        var end = index
        while end < bytes.count, end - index <= Self.longestName, Self.isOfName(bytes[end]) { end += 1 }
        guard end < bytes.count, end - index <= Self.longestName, bytes[end] == UInt8(ascii: ";"),
            let character = Self.character(named: String(decoding: bytes[index..<end], as: UTF8.self))
        else { return [Self.ampersand] }
        index = end + 1
        return character.bytes
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "#")
    }

    private static func character(named name: String) -> String? {
        if let known = known[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
