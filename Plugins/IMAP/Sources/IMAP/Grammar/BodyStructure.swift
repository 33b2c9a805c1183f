import FoundationEssentials

/// The structure of a message, as a server describes it.
struct BodyStructure: Equatable, Sendable {
    /// In lower case.
    var type: String
    var subtype: String
    /// Names in lower case.
    var parameters: [String: String] = [:]
    var contentID: String?
    /// In lower case.
    var encoding = "7bit"
    /// As it is transferred, in bytes.
    var size: UInt64 = 0
    /// In lower case.
    var disposition: String?
    var dispositionParameters: [String: String] = [:]
    /// Of a multipart, or the one of a message within a message.
    var parts: [BodyStructure] = []

    var isMultipart: Bool { type == "multipart" }
}

extension ByteScanner {
    mutating func bodyStructure(depth: Int = 0) throws(ParseError) -> BodyStructure {
        guard depth < Self.deepest else { throw failure("less deeply nested parts") }
        try expect("(", "a body structure")
        skipSpaces()
        let isMultipart = isNext(UInt8(ascii: "("))
        var body = isMultipart ? try multipart(depth) : try singlePart(depth)
        try extensions(&body, isMultipart: isMultipart)
        return body
    }

    private mutating func multipart(_ depth: Int) throws(ParseError) -> BodyStructure {
        var body = BodyStructure(type: "multipart", subtype: "mixed")
        while isNext(UInt8(ascii: "(")) {
            body.parts.append(try bodyStructure(depth: depth + 1))
            skipSpaces()
        }
        if !isNext(UInt8(ascii: ")")) { body.subtype = try ntext()?.lowercased() ?? "mixed" }
        return body
    }

    private mutating func singlePart(_ depth: Int) throws(ParseError) -> BodyStructure {
        var body = BodyStructure(type: try ntext()?.lowercased() ?? "text", subtype: "")
        skipSpaces()
        body.subtype = try ntext()?.lowercased() ?? (body.type == "text" ? "plain" : "octet-stream")
        // A multipart without parts is invalid, but does occur.
        guard !body.isMultipart else { return body }
        skipSpaces()
        body.parameters = try parameters()
        skipSpaces()
        body.contentID = try ntext()
        skipSpaces()
        _ = try nstring()
        skipSpaces()
        body.encoding = try ntext()?.lowercased() ?? "7bit"
        skipSpaces()
        body.size = try nnumber()
        skipSpaces()
        if body.type == "message", isNext(UInt8(ascii: "(")) {
            _ = try skipValue()
            skipSpaces()
            if isNext(UInt8(ascii: "(")) { body.parts = [try bodyStructure(depth: depth + 1)] }
            skipSpaces()
        }
        // The number of lines, of texts and messages; Exchange and others leave it out at times.
        if optionalNumber() == nil, body.type == "text" || body.type == "message" { skipNIL() }
        skipSpaces()
        // A checksum.
        if !isNext(UInt8(ascii: ")")) { try skipValue() }
        return body
    }

    /// The extensions of both kinds: disposition, language, location and future ones.
    private mutating func extensions(_ body: inout BodyStructure, isMultipart: Bool) throws(ParseError) {
        skipSpaces()
        if isMultipart, !isNext(UInt8(ascii: ")")) {
            body.parameters = try parameters()
            skipSpaces()
        }
        if isNext(UInt8(ascii: "(")) {
            try disposition(&body)
        } else if !isNext(UInt8(ascii: ")")) {
            // NIL, or a bare word, which some servers send.
            body.disposition = try ntext()?.lowercased()
        }
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            try skipValue()
            skipSpaces()
        }
    }

    private mutating func disposition(_ body: inout BodyStructure) throws(ParseError) {
        skip()
        skipSpaces()
        if !isNext(UInt8(ascii: ")")) { body.disposition = try ntext()?.lowercased() }
        skipSpaces()
        if !isNext(UInt8(ascii: ")")) { body.dispositionParameters = try parameters() }
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            try skipValue()
            skipSpaces()
        }
    }

    /// `("CHARSET" "utf-8" …)` or NIL. Of two with one name, the first counts.
    private mutating func parameters() throws(ParseError) -> [String: String] {
        guard isNext(UInt8(ascii: "(")) else {
            _ = try nstring()
            return [:]
        }
        let texts = try list { scanner throws(ParseError) in try scanner.ntext() ?? "" }
        var parameters: [String: String] = [:]
        for index in stride(from: 0, to: texts.count - 1, by: 2) where parameters.count < 100 {
            let name = texts[index].lowercased()
            if parameters[name] == nil { parameters[name] = texts[index + 1] }
        }
        return parameters
    }

    /// A number, which may be quoted, negative or NIL: then it counts as 0.
    private mutating func nnumber() throws(ParseError) -> UInt64 {
        if let number = optionalNumber() { return number }
        return try ntext().flatMap { UInt64($0) } ?? 0
    }

    private mutating func skipNIL() {
        var attempt = self
        if (try? attempt.nstring()) == .some(nil) { self = attempt }
    }
}
