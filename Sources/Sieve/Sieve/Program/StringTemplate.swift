/// A string of a script, in which variables may stand (RFC 5229).
struct StringTemplate {
    enum Piece: Equatable {
        case literal(Bytes)
        case variable(String)
        /// What the last match found: 0 is the whole, from 1 on what wildcards or groups stand for.
        case match(Int)
    }

    private(set) var pieces: [Piece] = []

    /// The text, if no variable stands in it.
    var constant: Bytes? {
        switch pieces.count {
        case 0: []
        case 1: if case .literal(let text) = pieces[0] { text } else { nil }
        default: nil
        }
    }

    init(constant text: Bytes) {
        pieces = text.isEmpty ? [] : [.literal(text)]
    }

    /// A string in which `${name}` is a variable.
    init(_ text: Bytes, limits: SieveLimits) throws(SieveError) {
        var cursor = Cursor(text)
        var literal: Bytes = []
        while let byte = cursor.peek {
            if byte == UInt8(ascii: "$"), let piece = try Self.reference(&cursor, limits: limits) {
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = []
                pieces.append(piece)
            } else {
                literal.append(byte)
                _ = cursor.next()
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    /// The variable at this place; nil, and nothing is read, if none begins here.
    private static func reference(_ cursor: inout Cursor, limits: SieveLimits) throws(SieveError) -> Piece? {
        var ahead = cursor
        guard ahead.skip("$"), ahead.skip("{") else { return nil }
        let name = ahead.take { $0.isWord || $0 == UInt8(ascii: ".") }.lowered
        guard ahead.skip("}"), let first = name.first else { return nil }
        if first.isDigit {
            guard name.allSatisfy(\.isDigit) else { return nil }
            guard let number = Int(name.text), number <= limits.matchValues else {
                throw SieveError(
                    "`${\(name.text)}` is beyond \(limits.matchValues), the last value that matches keep.")
            }
            cursor = ahead
            return .match(number)
        }
        guard
            !name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: {
                $0.first?.isDigit ?? true
            })
        else { return nil }
        guard !name.contains(UInt8(ascii: ".")) else {
            throw SieveError("`${\(name.text)}` is in a namespace that is not supported.")
        }
        cursor = ahead
        return .variable(name.text)
    }
}

/// `${hex: 24 24}` and `${unicode: 40}` (RFC 5228, section 2.4.2.4).
enum EncodedCharacters {
    static func decoded(_ text: Bytes) throws(SieveError) -> Bytes {
        var cursor = Cursor(text)
        var decoded: Bytes = []
        while let byte = cursor.peek {
            if byte == UInt8(ascii: "$"), let characters = try characters(&cursor) {
                decoded += characters
            } else {
                decoded.append(byte)
                _ = cursor.next()
            }
        }
        return decoded
    }

    private static func characters(_ cursor: inout Cursor) throws(SieveError) -> Bytes? {
        var ahead = cursor
        guard ahead.skip("$"), ahead.skip("{") else { return nil }
        let kind = ahead.take { $0.isLetter }.lowered.text
        guard kind == "hex" || kind == "unicode", ahead.skip(":") else { return nil }
        var found: Bytes = []
        var count = 0
        while true {
            ahead.skip { $0.isSpace }
            let digits = ahead.take { TransferText.hex($0) != nil }
            if digits.isEmpty { break }
            count += 1
            guard let number = UInt32(digits.text, radix: 16), kind == "unicode" || digits.count <= 2 else {
                return nil
            }
            if kind == "hex" {
                found.append(UInt8(truncatingIfNeeded: number))
            } else if let scalar = Unicode.Scalar(number) {
                found += String(Character(scalar)).bytes
            } else {
                throw SieveError("`\(digits.text)` is not a character of Unicode.")
            }
        }
        guard count > 0, ahead.skip("}") else { return nil }
        cursor = ahead
        return found
    }
}
