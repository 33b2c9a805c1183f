import FoundationEssentials

/// What a server told about one message.
struct FetchResponse: Equatable, Sendable {
    /// A part of a message that was asked for.
    struct Section: Equatable, Sendable {
        /// In upper case: "", `HEADER`, `1.2`, `2.MIME`.
        var name: String
        /// Where it begins, if only a piece was asked for.
        var origin: UInt32?
        /// Nil for `NIL`, and for literals that were streamed or too large.
        var bytes: Data?
        /// The message has no such part: `NIL`, or nothing at all.
        var isAbsent = false
    }

    var sequence: UInt32
    var uid: UInt32?
    var flags: [String]?
    var internalDate: Date?
    var size: UInt64?
    var modSeq: UInt64?
    var envelope: EnvelopeFields?
    /// Nil also if it was not understood.
    var bodyStructure: BodyStructure?
    var sections: [Section] = []
    /// The same for all copies of a message on the server (RFC 8474).
    var emailID: String?
    var gmailMessageID: UInt64?
    var gmailThreadID: UInt64?
    var gmailLabels: [String]?

    func section(_ name: String) -> Section? { sections.first { $0.name == name } }
}

extension ByteScanner {
    mutating func fetch(sequence: UInt32) throws(ParseError) -> FetchResponse {
        var message = FetchResponse(sequence: sequence)
        try fetchItems(&message, depth: 0)
        return message
    }

    private mutating func fetchItems(_ message: inout FetchResponse, depth: Int) throws(ParseError) {
        guard depth < 4 else { throw failure("less deeply nested lists") }
        try expect("(", "the items of a message")
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            if isNext(UInt8(ascii: "(")) {
                // Domino puts additional parentheses around some items.
                try fetchItems(&message, depth: depth + 1)
            } else {
                try fetchItem(&message)
            }
            skipSpaces()
        }
    }

    private mutating func fetchItem(_ message: inout FetchResponse) throws(ParseError) {
        let name = takeWord().uppercased()
        if isNext(UInt8(ascii: "[")), name == "BODY" || name == "BINARY" {
            return message.sections.append(try section())
        }
        skipSpaces()
        switch name {
        case "": throw failure("an item of a message")
        case "UID": message.uid = try number32()
        case "FLAGS": message.flags = try flags()
        case "INTERNALDATE": message.internalDate = try ntext().flatMap(IMAPDate.parse)
        case "RFC822.SIZE": message.size = try number()
        case "MODSEQ": message.modSeq = try modSeq()
        case "ENVELOPE":
            message.envelope = try understood { scanner throws(ParseError) in
                try scanner.envelope()
            }
        case "BODYSTRUCTURE", "BODY":
            message.bodyStructure = try understood { scanner throws(ParseError) in
                try scanner.bodyStructure()
            }
        case "EMAILID": message.emailID = try objectID()
        case "X-GM-MSGID": message.gmailMessageID = try number()
        case "X-GM-THRID": message.gmailThreadID = try number()
        case "X-GM-LABELS": message.gmailLabels = try labels()
        default: try skipValue()
        }
    }

    /// Reads a value, and passes it by if it is not understood: the rest of the message counts.
    private mutating func understood<Value>(
        _ read: (inout ByteScanner) throws(ParseError) -> Value
    ) throws(ParseError) -> Value? {
        var attempt = self
        do throws(ParseError) {
            let value = try read(&attempt)
            self = attempt
            return value
        } catch {
            try skipValue()
            return nil
        }
    }

    /// `(12)`; Zoho says negative numbers, which mean nothing.
    private mutating func modSeq() throws(ParseError) -> UInt64? {
        try list { scanner throws(ParseError) -> UInt64? in
            if let number = scanner.optionalNumber() { return number }
            try scanner.skipValue()
            return nil
        }.first ?? nil
    }

    private mutating func labels() throws(ParseError) -> [String] {
        guard isNext(UInt8(ascii: "(")) else {
            _ = try nstring()
            return []
        }
        return try list { scanner throws(ParseError) in
            let isQuoted = scanner.isNext(UInt8(ascii: "\"")) || scanner.isNext(UInt8(ascii: "{"))
            let label = String(decoding: try scanner.astring(), as: UTF8.self)
            return !isQuoted && label.uppercased() == "NIL" ? "" : label
        }.filter { !$0.isEmpty }
    }

    private mutating func section() throws(ParseError) -> FetchResponse.Section {
        try expect("[", "a section")
        // `HEADER.FIELDS (…)` contains parentheses, but never square brackets outside strings.
        var name = ""
        while !isNext(UInt8(ascii: "]")) {
            if isNext(UInt8(ascii: "\"")) || isNext(UInt8(ascii: "{")) {
                name += String(decoding: try astring(), as: UTF8.self)
            } else if let byte = peek {
                name.unicodeScalars.append(Unicode.Scalar(byte))
                skip()
            } else {
                throw failure("the end of a section")
            }
        }
        skip()
        var section = FetchResponse.Section(name: name.uppercased())
        if take(UInt8(ascii: "<")) {
            section.origin = try number32()
            try expect(">", "the end of an offset")
        }
        skipSpaces()
        // Yandex leaves out the value of a part that is empty.
        guard !isNext(UInt8(ascii: ")")) else {
            section.isAbsent = true
            return section
        }
        section.bytes = try nstring()
        section.isAbsent = section.bytes == nil
        if !wasKept { section.bytes = nil }
        return section
    }
}
