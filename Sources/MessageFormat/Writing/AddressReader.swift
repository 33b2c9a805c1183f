import CGMime
public import MailKernelAPI

/// Reads typed recipients, as strictly as sending requires (RFC 5322 and 6531): `ada@example.org`, `Ada
/// <ada@example.org>`, `"a b"@example.org`, `Friends: ada@x.org, grace@y.org;`.
///
/// `HeaderForm` reads header fields of incoming mail, and is lenient.
public struct AddressReader {
    private let text: [Unicode.Scalar]
    private var index = 0
    /// The comment read last: `ada@example.org (Ada)` has its name there.
    private var comment: String?

    /// All addresses in a text, separated by commas, including those in groups.
    ///
    /// - Throws: the problem with the first invalid address.
    public static func addresses(in text: String) throws(AddressProblem) -> [EmailAddress] {
        if PlainAddress.isOne(text) { return [EmailAddress(email: text)] }
        guard text.utf8.count <= 20_000 else { throw .tooLong }
        var reader = AddressReader(text: Array(text.unicodeScalars))
        let found = try reader.list(until: nil)
        if found.isEmpty { throw .empty }
        return found
    }

    /// The problem with an address without a name; nil if it is valid.
    public static func problem(with address: String) -> AddressProblem? {
        do throws(AddressProblem) {
            let found = try addresses(in: address)
            return found.count == 1 ? nil : .invalidCharacter(",")
        } catch {
            return error
        }
    }

    private init(text: [Unicode.Scalar]) {
        self.text = text
    }

    private var next: Unicode.Scalar? { index < text.count ? text[index] : nil }

    private func slice(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(text[range]))
    }

    // MARK: Lists

    private mutating func list(until end: Unicode.Scalar?) throws(AddressProblem) -> [EmailAddress] {
        var found: [EmailAddress] = []
        while true {
            try skipBlanks()
            guard let scalar = next, scalar != end else { return found }
            if scalar == "," {
                index += 1
                continue
            }
            found += try entry(isInGroup: end != nil)
            try skipBlanks()
            guard let scalar = next, scalar != end else { return found }
            guard scalar == "," else { throw .invalidCharacter(scalar) }
        }
    }

    private mutating func entry(isInGroup: Bool) throws(AddressProblem) -> [EmailAddress] {
        comment = nil
        let words = try words()
        switch next {
        case ":" where !isInGroup && !words.isEmpty:
            index += 1
            let members = try list(until: ";")
            guard next == ";" else { throw .unclosedGroup }
            index += 1
            return members
        case "<":
            index += 1
            let local = try self.words()
            let email = try address(local)
            guard next == ">" else { throw .unclosedBracket }
            index += 1
            let name = words.map(\.text).joined(separator: " ")
            return [EmailAddress(name: name.isEmpty ? nil : name, email: email)]
        case "@":
            let email = try address(words)
            return [EmailAddress(name: comment, email: email)]
        case let scalar? where scalar != "," && scalar != ";" && scalar != ">":
            throw .invalidCharacter(scalar)
        default: throw .noAtSign
        }
    }

    // MARK: Words

    private struct Word {
        var text: String
        var isQuoted: Bool
    }

    /// Atoms with their dots, and quoted strings, with blanks and comments between them.
    private mutating func words() throws(AddressProblem) -> [Word] {
        var words: [Word] = []
        while true {
            try skipBlanks()
            guard let scalar = next else { return words }
            if scalar == "\"" {
                words.append(Word(text: try quoted(), isQuoted: true))
            } else if Self.isAtom(scalar) || scalar == "." {
                let start = index
                while let scalar = next, Self.isAtom(scalar) || scalar == "." { index += 1 }
                words.append(Word(text: slice(start..<index), isQuoted: false))
            } else {
                return words
            }
        }
    }

    private mutating func quoted() throws(AddressProblem) -> String {
        index += 1
        var content = String.UnicodeScalarView()
        while let scalar = next {
            index += 1
            switch scalar {
            case "\"": return String(content)
            case "\\":
                guard let escaped = next else { throw .unclosedQuote }
                content.append(escaped)
                index += 1
            case _ where Self.isControl(scalar): throw .invalidCharacter(scalar)
            default: content.append(scalar)
            }
        }
        throw .unclosedQuote
    }

    private mutating func skipBlanks() throws(AddressProblem) {
        while let scalar = next {
            if scalar == "(" {
                try skipComment()
            } else if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(AddressProblem) {
        let start = index + 1
        var depth = 0
        while let scalar = next {
            index += 1
            switch scalar {
            case "(": depth += 1
            case ")": depth -= 1
            case "\\": index = min(index + 1, text.count)
            default: break
            }
            if depth == 0 {
                let content = slice(start..<(index - 1)).trimmingBlanks()
                comment = content.isEmpty ? nil : content
                return
            }
        }
        throw .unclosedComment
    }

    // MARK: Addresses

    /// The rest of an address, of which the part before the `@` has been read.
    private mutating func address(_ words: [Word]) throws(AddressProblem) -> String {
        guard next == "@" else { throw .noAtSign }
        index += 1
        guard let word = words.first else { throw .noLocalPart }
        guard words.count == 1 else { throw .blankInAddress }
        let local = try local(word)
        let domain = try domain()
        let address = "\(local)@\(domain)"
        guard address.utf8.count <= 254 else { throw .tooLong }
        return address
    }

    private func local(_ word: Word) throws(AddressProblem) -> String {
        let isDotAtom =
            !word.text.isEmpty && !word.text.hasPrefix(".") && !word.text.hasSuffix(".")
            && !word.text.containsBytes(of: "..")
            && word.text.unicodeScalars.allSatisfy { Self.isAtom($0) || $0 == "." }
        guard word.isQuoted || isDotAtom else { throw .misplacedDot }
        // Angle brackets cannot be told from those around an address by most programs.
        if let bracket = word.text.unicodeScalars.first(where: { $0 == "<" || $0 == ">" }) {
            throw .invalidCharacter(bracket)
        }
        let local = isDotAtom ? word.text : Parameters.quoted(word.text)
        guard local.utf8.count <= 64 else { throw .localPartTooLong }
        return local
    }

    private mutating func domain() throws(AddressProblem) -> String {
        try skipBlanks()
        if next == "[" { return try literal() }
        let start = index
        while let scalar = next, Self.isAtom(scalar) || scalar == "." || scalar == "。" { index += 1 }
        let name = slice(start..<index).replacing("。", with: ".")
        guard !name.isEmpty else { throw .noDomain }
        try Self.check(domain: name)
        let behind = index
        try skipBlanks()
        // A second word: two addresses without a comma, or a blank that slipped in.
        if index > behind, let scalar = next, Self.isAtom(scalar) || scalar == "@" { throw .blankInAddress }
        return name
    }

    private static func check(domain name: String) throws(AddressProblem) {
        let ascii = name.utf8.allSatisfy { $0 < 0x80 } ? name : GMime.take(g_hostname_to_ascii(name))
        guard let ascii, ascii.utf8.count <= 253 else { throw .invalidDomain(name) }
        let labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { throw .misplacedDot }
            guard label.utf8.count <= 63, label.first != "-", label.last != "-",
                label.utf8.allSatisfy({ isHostByte($0) })
            else { throw .invalidDomain(name) }
        }
        if labels.last?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) == true { throw .bareNumbers }
    }

    /// `[192.0.2.1]` or `[IPv6:2001:db8::1]`.
    private mutating func literal() throws(AddressProblem) -> String {
        let start = index
        while let scalar = next, scalar != "]" { index += 1 }
        guard next == "]" else { throw .unclosedBracket }
        index += 1
        let literal = slice(start..<index)
        let inner = literal.dropFirst().dropLast()
        let address = inner.lowercased().hasPrefix("ipv6:") ? String(inner.dropFirst(5)) : String(inner)
        guard g_hostname_is_ip_address(address) != 0, address != inner || !address.contains(":") else {
            throw .invalidDomain(literal)
        }
        return literal
    }

    // MARK: Characters

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else { return Parameters.isAtomText(UInt8(scalar.value)) }
        return !scalar.properties.isWhitespace && !isControl(scalar) && scalar != "。"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || scalar.properties.generalCategory == .format
            || scalar.properties.generalCategory == .unassigned
    }
}

/// Why a text is no address.
public enum AddressProblem: Error, Hashable, Sendable {
    case empty, noAtSign, noLocalPart, noDomain, misplacedDot, blankInAddress, bareNumbers
    case localPartTooLong, tooLong
    case unclosedQuote, unclosedComment, unclosedBracket, unclosedGroup
    case invalidCharacter(Unicode.Scalar)
    case invalidDomain(String)

    /// For the user, as the end of “… is not an address: ”.
    public var reason: String {
        switch self {
        case .empty: "it is empty."
        case .noAtSign: "the “@” is missing."
        case .noLocalPart: "the part before the “@” is missing."
        case .noDomain: "the part after the “@” is missing."
        case .misplacedDot: "a dot is in the wrong place."
        case .blankInAddress: "it contains a space. Separate addresses with commas."
        case .bareNumbers: "numeric addresses need brackets, as in [192.0.2.1]."
        case .localPartTooLong: "the part before the “@” is longer than 64 bytes."
        case .tooLong: "it is longer than 254 bytes."
        case .unclosedQuote: "a quotation mark is not closed."
        case .unclosedComment: "a parenthesis is not closed."
        case .unclosedBracket: "a bracket is not closed."
        case .unclosedGroup: "the semicolon at the end of a group is missing."
        case .invalidCharacter(let scalar):
            scalar.value > 0x20 && scalar.properties.generalCategory != .format
                ? "“\(scalar)” is not allowed here." : "it contains an invisible character."
        case .invalidDomain(let domain): "“\(domain)” is not a valid server name."
        }
    }
}

extension EmailAddress {
    /// The form for mail servers, with an ASCII domain.
    public var transportForm: String {
        let plain = (try? AddressReader.addresses(in: email))?.first?.email ?? email
        guard let at = plain.lastIndex(of: "@"), plain[at...].utf8.contains(where: { $0 >= 0x80 }),
            let ascii = GMime.take(g_hostname_to_ascii(String(plain[at...].dropFirst())))
        else { return plain }
        return plain[...at] + ascii
    }

    /// Equal for two ways to write one address: quotes that are not needed, letters of either case, a domain in
    /// its Unicode or its ASCII form.
    public var key: String {
        let plain = (try? AddressReader.addresses(in: email))?.first?.email ?? email
        guard let at = plain.lastIndex(of: "@") else { return plain.lowercased() }
        let domain = String(plain[plain.index(after: at)...]).lowercased()
        let ascii = domain.utf8.allSatisfy { $0 < 0x80 } ? domain : GMime.take(g_hostname_to_ascii(domain))
        return plain[..<at].lowercased() + "@" + (ascii ?? domain)
    }
}
