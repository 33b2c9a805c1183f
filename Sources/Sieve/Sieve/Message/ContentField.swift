/// `Content-Type` or `Content-Disposition`: a value and its parameters (RFC 2045, 2231).
struct ContentField {
    /// As written, such as `text/plain` or `attachment`.
    private(set) var written = ""
    private var parameters: [(name: String, value: Bytes)] = []

    /// In lower case.
    var value: String { written.lowered }
    var type: String { String(value.prefix { $0 != "/" }) }
    var subtype: String { Self.subtype(of: value) }
    var writtenType: String { String(written.prefix { $0 != "/" }) }
    var writtenSubtype: String { Self.subtype(of: written) }

    private static func subtype(of value: String) -> String {
        value.contains("/") ? String(value.drop { $0 != "/" }.dropFirst()) : ""
    }

    private static let specials = Bytes("()<>@,;:\\\"[]?=".utf8)

    init(_ header: Bytes) {
        var cursor = Cursor(EncodedWords.unfolded(header))
        func isToken(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f && !Self.specials.contains(byte) }
        written =
            cursor.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "(") }
            .filter { !$0.isSpace }.text
        while !cursor.isAtEnd, parameters.count < 100 {
            cursor.skip { $0 != UInt8(ascii: ";") }
            _ = cursor.next()
            cursor.skip { $0.isSpace }
            let name = cursor.take { isToken($0) }.lowered.text
            cursor.skip { $0.isSpace }
            guard !name.isEmpty, cursor.skip("=") else { continue }
            cursor.skip { $0.isSpace }
            parameters.append((name, Self.parameter(&cursor)))
        }
    }

    private static func parameter(_ cursor: inout Cursor) -> Bytes {
        guard cursor.skip("\"") else {
            return cursor.take { !$0.isSpace && $0 != UInt8(ascii: ";") }
        }
        var text: Bytes = []
        while let byte = cursor.next(), byte != UInt8(ascii: "\"") {
            text.append(byte == UInt8(ascii: "\\") ? cursor.next() ?? byte : byte)
        }
        return text
    }

    /// The value of a parameter in UTF-8, also if it was cut into pieces; nil if there is none.
    func parameter(_ name: String, _ decode: (Bytes, String) -> Bytes?) -> Bytes? {
        if let plain = parameters.first(where: { $0.name == name }) { return plain.value }
        if let encoded = parameters.first(where: { $0.name == name + "*" })?.value {
            let charset = Self.charset(encoded)
            return Charset.text(
                TransferText.percentDecoded(Bytes(encoded[charset.length...])), charset.name, decode)
        }
        var whole: Bytes = []
        var charset = ""
        for piece in 0..<100 {
            if let plain = parameters.first(where: { $0.name == "\(name)*\(piece)" })?.value {
                whole += plain
            } else if var encoded = parameters.first(where: { $0.name == "\(name)*\(piece)*" })?.value {
                if piece == 0 {
                    let found = Self.charset(encoded)
                    charset = found.name
                    encoded = Bytes(encoded[found.length...])
                }
                whole += TransferText.percentDecoded(encoded)
            } else {
                return piece == 0 ? nil : Charset.text(whole, charset, decode)
            }
        }
        return Charset.text(whole, charset, decode)
    }

    /// The charset before `'language'`, and the length of both.
    private static func charset(_ value: Bytes) -> (name: String, length: Int) {
        guard let first = value.firstIndex(of: UInt8(ascii: "'")),
            let second = value[(first + 1)...].firstIndex(of: UInt8(ascii: "'"))
        else { return ("", 0) }
        return (Bytes(value[..<first]).text, second + 1)
    }
}
