/// An address of a header field.
struct MailAddress: Equatable {
    var local: Bytes
    /// Nil if there is no domain, which no address should lack.
    var domain: Bytes?

    var whole: Bytes { domain.map { Self.quoted(local) + [UInt8(ascii: "@")] + $0 } ?? local }

    /// The name before the separator of details, and what follows it (RFC 5233).
    var user: Bytes { Bytes(local.prefix { $0 != UInt8(ascii: "+") }) }
    var detail: Bytes? {
        local.firstIndex(of: UInt8(ascii: "+")).map { Bytes(local[($0 + 1)...]) }
    }

    private static func quoted(_ local: Bytes) -> Bytes {
        guard local.isEmpty || local.contains(where: { !AddressParser.isAtom($0) && $0 != UInt8(ascii: ".") })
        else {
            return local
        }
        let escaped = local.flatMap {
            [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains($0) ? [0x5c, $0] : [$0]
        }
        return [UInt8(ascii: "\"")] + escaped + [UInt8(ascii: "\"")]
    }
}

/// Reads the addresses of a header field (RFC 5322), also of groups. What is broken is left out.
struct AddressParser {
    private var cursor: Cursor
    private let most: Int

    private init(_ value: Bytes, most: Int) {
        cursor = Cursor(value)
        self.most = most
    }

    static func isAtom(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7f && !Bytes("()<>[]:;@\\,.\"".utf8).contains(byte)
    }

    static func addresses(in value: Bytes, most: Int = 1_000) -> [MailAddress] {
        var parser = AddressParser(value, most: most)
        return parser.list()
    }

    /// An address by itself, as in a script or an envelope: `user@example.org`, also in brackets after a name.
    static func single(_ text: Bytes) -> MailAddress? {
        var parser = AddressParser(text.trimmed(), most: 1)
        var address = parser.specification()
        if address?.domain == nil || !parser.cursor.isAtEnd {
            parser.cursor.move(to: 0)
            parser.skipName()
            guard parser.cursor.skip("<") else { return nil }
            address = parser.specification()
            guard parser.cursor.skip(">") else { return nil }
        }
        guard let address, address.domain != nil, parser.cursor.isAtEnd else { return nil }
        return address
    }

    private mutating func skipName() {
        while let byte = cursor.peek, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "\"") {
                _ = quotedString()
            } else {
                guard Self.isAtom(byte) || byte.isBlank || byte == UInt8(ascii: ".") else { return }
                _ = cursor.next()
            }
        }
    }

    private mutating func list() -> [MailAddress] {
        var found: [MailAddress] = []
        while !cursor.isAtEnd, found.count < most {
            skipComments()
            if let address = mailbox() { found.append(address) }
            skipComments()
            // The end of an address, or what could not be read.
            while let byte = cursor.peek, byte != UInt8(ascii: ","), byte != UInt8(ascii: ";") {
                if byte == UInt8(ascii: "\"") { _ = quotedString() } else { _ = cursor.next() }
            }
            _ = cursor.next()
        }
        return found
    }

    /// `Name <local@domain>`, `local@domain`, or the first member of a group.
    private mutating func mailbox() -> MailAddress? {
        var start = cursor.index
        while let byte = cursor.peek {
            switch byte {
            case UInt8(ascii: "<"):
                _ = cursor.next()
                return bracketed()
            case UInt8(ascii: ":"):
                _ = cursor.next()
                skipComments()
                start = cursor.index
            case UInt8(ascii: "\""): _ = quotedString()
            case UInt8(ascii: "("): skipComments()
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                guard cursor.index > start else { return nil }
                return plain(from: start)
            default: _ = cursor.next()
            }
        }
        return cursor.index > start ? plain(from: start) : nil
    }

    private mutating func plain(from start: Int) -> MailAddress? {
        cursor.move(to: start)
        return specification()
    }

    private mutating func bracketed() -> MailAddress? {
        skipComments()
        if cursor.peek == UInt8(ascii: "@") {
            // A route, as in <@one,@two:user@three>, which means nothing today.
            cursor.skip { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ">") }
            guard cursor.skip(":") else { return nil }
        }
        guard let address = specification(), cursor.skip(">") else { return nil }
        return address
    }

    private mutating func specification() -> MailAddress? {
        skipComments()
        guard let local = words(allowingBlanks: false) else { return nil }
        skipComments()
        guard cursor.skip("@") else { return MailAddress(local: local, domain: nil) }
        skipComments()
        if cursor.peek == UInt8(ascii: "[") {
            let literal = cursor.take { $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: ">") }
            return cursor.skip("]") ? MailAddress(local: local, domain: literal + [UInt8(ascii: "]")]) : nil
        }
        guard let domain = words(allowingBlanks: true) else { return nil }
        skipComments()
        return MailAddress(local: local, domain: domain)
    }

    /// Words with dots between them. Old messages have blanks around the dots of a domain.
    private mutating func words(allowingBlanks: Bool) -> Bytes? {
        var text: Bytes = []
        while true {
            if cursor.peek == UInt8(ascii: "\"") {
                text += quotedString()
            } else {
                text += cursor.take { Self.isAtom($0) }
            }
            if allowingBlanks { skipComments() }
            guard cursor.skip(".") else { return text.isEmpty ? nil : text }
            text.append(UInt8(ascii: "."))
            if allowingBlanks { skipComments() }
        }
    }

    private mutating func quotedString() -> Bytes {
        var text: Bytes = []
        _ = cursor.next()
        while let byte = cursor.next() {
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let escaped = cursor.next() {
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return text
    }

    private mutating func skipComments() {
        var depth = 0
        while let byte = cursor.peek {
            if byte == UInt8(ascii: "(") {
                depth += 1
            } else if depth == 0 {
                guard byte.isSpace else { return }
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
            } else if byte == UInt8(ascii: "\\") {
                _ = cursor.next()
            }
            _ = cursor.next()
        }
    }
}
