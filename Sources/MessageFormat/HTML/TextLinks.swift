/// Finds links in plain text.
enum TextLinks {
    struct Piece: Hashable {
        var text: Substring
        /// The link's target; nil for plain text.
        var target: String?
    }

    static func pieces(of line: Substring) -> [Piece] {
        guard mayHoldLinks(line) else { return [Piece(text: line)] }
        var pieces: [Piece] = []
        var plainStart = line.startIndex
        var index = line.startIndex
        while index < line.endIndex {
            if isEdge(line.utf8[index]) {
                index = line.utf8.index(after: index)
                continue
            }
            let end = line.utf8[index...].firstIndex(where: isEdge) ?? line.endIndex
            if let link = link(in: line[index..<end]) {
                if plainStart < link.text.startIndex {
                    pieces.append(Piece(text: line[plainStart..<link.text.startIndex]))
                }
                pieces.append(link)
                plainStart = link.text.endIndex
            }
            index = end
        }
        if plainStart < line.endIndex { pieces.append(Piece(text: line[plainStart...])) }
        return pieces
    }

    /// Most lines hold none, and need no closer look.
    private static func mayHoldLinks(_ line: Substring) -> Bool {
        var last: UInt8 = 0
        for byte in line.utf8 {
            if byte == UInt8(ascii: "@") || byte == UInt8(ascii: "/") && last == byte { return true }
            if byte == UInt8(ascii: "."), last | 0x20 == UInt8(ascii: "w") { return true }
            last = byte
        }
        return false
    }

    private static func isEdge(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"")
    }

    private static func link(in word: Substring) -> Piece? {
        let lower = word.lowercased()
        // Lowering may change the length of other scripts: then the places would not fit.
        guard lower.utf8.count == word.utf8.count else { return nil }
        for scheme in ["https://", "http://", "mailto:"] {
            guard let place = firstPlace(of: scheme, in: lower) else { continue }
            let start = word.utf8.index(word.startIndex, offsetBy: place)
            let text = trimmed(word[start...])
            guard text.utf8.count > scheme.utf8.count else { return nil }
            return Piece(text: text, target: String(text))
        }
        if lower.hasPrefix("www."), lower.utf8.count > 6 {
            let text = trimmed(word)
            return Piece(text: text, target: "https://" + text)
        }
        return mailbox(in: word)
    }

    private static func mailbox(in word: Substring) -> Piece? {
        let text = trimmed(word.drop { "([{'".contains($0) })
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, sides[0].utf8.allSatisfy(isLocal),
            sides[1].contains("."), sides[1].first != ".", sides[1].utf8.allSatisfy(isHost)
        else { return nil }
        return Piece(text: text, target: "mailto:" + text)
    }

    private static func isHost(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        isHost(byte) || "_+%=".utf8.contains(byte)
    }

    private static func firstPlace(of needle: String, in text: String) -> Int? {
        let (needle, text) = (Array(needle.utf8), Array(text.utf8))
        guard needle.count <= text.count else { return nil }
        return (0...(text.count - needle.count)).first { place in
            text[place..<(place + needle.count)].elementsEqual(needle)
        }
    }

    /// Without what ends the sentence, and without a bracket that the address did not open.
    private static func trimmed(_ text: Substring) -> Substring {
        // Removed characters open no bracket, so a single pass is enough.
        let open = Set(text.utf8.filter { "([{".utf8.contains($0) })
        var end = text.endIndex
        while end > text.startIndex {
            let before = text.utf8.index(before: end)
            let isLeftOut =
                switch text.utf8[before] {
                case UInt8(ascii: ")"): !open.contains(UInt8(ascii: "("))
                case UInt8(ascii: "]"): !open.contains(UInt8(ascii: "["))
                case UInt8(ascii: "}"): !open.contains(UInt8(ascii: "{"))
                case let byte: ".,;:!?'*_".utf8.contains(byte)
                }
            guard isLeftOut else { break }
            end = before
        }
        return text[..<end]
    }
}
