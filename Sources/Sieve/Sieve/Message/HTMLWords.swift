/// The text of an HTML part, without its tags, for tests of the body.
enum HTMLWords {
    static func text(of html: Bytes) -> Bytes {
        var cursor = Cursor(html)
        var text: Bytes = []
        while let byte = cursor.next() {
            switch byte {
            case UInt8(ascii: "<"): skipTag(&cursor)
            case UInt8(ascii: "&"): text += entity(&cursor)
            default: text.append(byte)
            }
        }
        return text
    }

    private static func skipTag(_ cursor: inout Cursor) {
        if starts("!--", cursor) { return skip(past: "-->", &cursor) }
        let isStyle = starts("style", cursor)
        let isScript = starts("script", cursor)
        var quote: UInt8?
        while let byte = cursor.next() {
            if byte == quote {
                quote = nil
            } else if quote == nil {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
                if byte == UInt8(ascii: ">") { break }
            }
        }
        if isStyle { skip(past: "</style", &cursor) } else if isScript { skip(past: "</script", &cursor) }
        if isStyle || isScript { skip(past: ">", &cursor) }
    }

    private static func starts(_ word: String, _ cursor: Cursor) -> Bool {
        word.utf8.enumerated().allSatisfy { cursor.peek($0.offset)?.lowered == $0.element }
    }

    private static func skip(past word: String, _ cursor: inout Cursor) {
        while !cursor.isAtEnd {
            if starts(word, cursor) { return cursor.move(to: cursor.index + word.utf8.count) }
            _ = cursor.next()
        }
    }

    private static func entity(_ cursor: inout Cursor) -> Bytes {
        let start = cursor.index
        let name = cursor.take { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "#") }.text
        guard name.utf8.count < 12, cursor.skip(";") else {
            cursor.move(to: start)
            return [UInt8(ascii: "&")]
        }
        let known = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "nbsp": "\u{a0}"]
        if let known = known[name] { return known.bytes }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        if name.hasPrefix("#"), let scalar = number.flatMap(Unicode.Scalar.init) {
            return String(Character(scalar)).bytes
        }
        cursor.move(to: start)
        return [UInt8(ascii: "&")]
    }
}
