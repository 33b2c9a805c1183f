/// A parameter with a charset, or in pieces (RFC 2231): `name*=koi8-r''%F0…`, `name*0*=…; name*1=…`.
struct ExtendedParameter {
    private struct Piece {
        var number: Int
        var isEncoded: Bool
        var bytes: [UInt8]
    }

    private static let mostPieces = 1000
    private static let mostBytes = 100_000

    /// The value, put together and decoded; nil if the parameter is not written in this way.
    static func value(of name: String, in field: String) -> String? {
        guard field.utf8.contains(UInt8(ascii: "*")) else { return nil }
        var pieces: [Piece] = []
        for (attribute, value) in parameters(of: Array(field.utf8.prefix(mostBytes))) {
            if pieces.count == mostPieces { break }
            if let piece = piece(attribute, value, of: name) { pieces.append(piece) }
        }
        guard !pieces.isEmpty else { return nil }
        return HeaderForm.clean(text(of: pieces.sorted { $0.number < $1.number })).nonEmpty
    }

    private static func piece(_ attribute: String, _ value: [UInt8], of name: String) -> Piece? {
        let words = attribute.lowercased().split(separator: "*", omittingEmptySubsequences: false)
        guard words.count > 1, words[0] == name else { return nil }
        if words.count == 2, words[1].isEmpty { return Piece(number: 0, isEncoded: true, bytes: value) }
        guard let number = Int(words[1]) else { return nil }
        return Piece(number: number, isEncoded: words.count > 2, bytes: value)
    }

    /// Decoded together, because a character may be split across pieces.
    private static func text(of pieces: [Piece]) -> String {
        var charset = Charset(kind: .guess)
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            var value = piece.bytes[...]
            if index == 0, piece.isEncoded, let first = value.firstIndex(of: quote),
                let second = value[(first + 1)...].firstIndex(of: quote)
            {
                charset = Charset(name: String(decoding: value[..<first], as: UTF8.self))
                value = value[(second + 1)...]
            }
            bytes += piece.isEncoded ? unescaped(value, escape: UInt8(ascii: "%")) : Array(value)
        }
        return charset.text(bytes.span).text
    }

    private static let quote = UInt8(ascii: "'")

    /// What stands behind the field's first semicolon, quotes taken off.
    private static func parameters(of field: [UInt8]) -> [(attribute: String, value: [UInt8])] {
        var found: [(attribute: String, value: [UInt8])] = []
        var attribute: [UInt8]?
        var current: [UInt8] = []
        var (isQuoted, isEscaped, isFirst) = (false, false, true)
        func end() {
            if let attribute, !isFirst {
                let name = String(decoding: attribute, as: UTF8.self).trimmingBlanks()
                found.append((name, Array(String(decoding: current, as: UTF8.self).trimmingBlanks().utf8)))
            }
            (attribute, current, isFirst) = (nil, [], false)
        }
        for byte in field {
            if isEscaped {
                isEscaped = false
                current.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted: end()
            case UInt8(ascii: "=") where attribute == nil && !isQuoted: (attribute, current) = (current, [])
            default: current.append(byte)
            }
        }
        end()
        return found
    }
}
