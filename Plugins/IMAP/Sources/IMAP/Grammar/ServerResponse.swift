import FoundationEssentials

/// What a server said, understood.
enum ServerResponse: Equatable, Sendable {
    case untagged(Untagged)
    case tagged(String, StatusResponse)
    /// `+`: continue. Contains the server's challenge during sign-in.
    case continuation(String)
}

enum Untagged: Equatable, Sendable {
    case status(StatusResponse)
    case capability(Set<String>)
    case enabled(Set<String>)
    case flags([String])
    case list(ListedMailbox)
    case mailboxStatus(MailboxName, MailboxStatus)
    case namespace(personalPrefix: String?)
    /// Numbers that a search found, with the highest mod-sequence among them.
    case search([UInt32], modSeq: UInt64?)
    case extendedSearch(ExtendedSearch)
    case exists(UInt32)
    case expunge(UInt32)
    case vanished(UIDSet, earlier: Bool)
    case fetch(FetchResponse)
    case quota(QuotaRoot)
    case uidBatches([ClosedRange<UInt32>])
    /// Where the account can be had through JMAP (RFC 9698).
    case jmapAccess(String)
    /// Any other response.
    case other(String)
}

struct StatusResponse: Equatable, Sendable {
    enum Kind: String, Sendable {
        case ok = "OK"
        case no = "NO"
        case bad = "BAD"
        case preauth = "PREAUTH"
        case bye = "BYE"
    }

    var kind: Kind
    var code: ResponseCode?
    /// In the server's words.
    var text: String
}

/// `[…]` at the beginning of a status text.
enum ResponseCode: Equatable, Sendable {
    case capability(Set<String>)
    case permanentFlags([String])
    case uidNext(UInt32)
    case uidValidity(UInt32)
    case highestModSeq(UInt64)
    case appendUID(validity: UInt32, UIDSet)
    case copyUID(validity: UInt32, from: [ClosedRange<UInt32>], to: [ClosedRange<UInt32>])
    /// Only so many messages were processed, from the newest down to one with this UID (RFC 9738); nil if none was.
    case messageLimit(UInt32, lowest: UInt32?)
    /// Without arguments that matter here: `TRYCREATE`, `OVERQUOTA`, `NONEXISTENT` and so on.
    case word(String)
}

extension ByteScanner {
    mutating func response() throws(ParseError) -> ServerResponse {
        if take(UInt8(ascii: "+")) {
            skipSpaces()
            return .continuation(takeRest())
        }
        if take(UInt8(ascii: "*")) {
            skipSpaces()
            return .untagged(try untagged())
        }
        let tag = takeWord()
        guard !tag.isEmpty else { throw failure("a tag") }
        skipSpaces()
        guard let kind = StatusResponse.Kind(rawValue: takeWord().uppercased()) else {
            throw failure("OK, NO or BAD")
        }
        return .tagged(tag, status(kind))
    }

    private mutating func untagged() throws(ParseError) -> Untagged {
        if let byte = peek, isDigit(byte) { return try numbered() }
        let name = takeWord().uppercased()
        skipSpaces()
        if let kind = StatusResponse.Kind(rawValue: name) { return .status(status(kind)) }
        switch name {
        case "CAPABILITY": return .capability(capabilities())
        case "ENABLED": return .enabled(capabilities())
        case "FLAGS": return .flags(try flags())
        case "LIST", "LSUB", "XLIST": return .list(try listedMailbox())
        case "STATUS": return try mailboxStatus()
        case "NAMESPACE": return .namespace(personalPrefix: try personalPrefix())
        case "SEARCH", "SORT": return try search()
        case "ESEARCH": return .extendedSearch(try extendedSearch())
        case "VANISHED": return try vanished()
        case "QUOTA": return .quota(try quota())
        case "UIDBATCHES": return .uidBatches(try uidBatches())
        case "JMAPACCESS": return .jmapAccess(String(decoding: try astring(), as: UTF8.self))
        case "": throw failure("the name of a response")
        default: return .other(name)
        }
    }

    private mutating func numbered() throws(ParseError) -> Untagged {
        let number = try number32()
        skipSpaces()
        let name = takeWord().uppercased()
        skipSpaces()
        switch name {
        case "EXISTS": return .exists(number)
        case "EXPUNGE": return .expunge(number)
        case "FETCH": return .fetch(try fetch(sequence: number))
        case "UIDFETCH":
            // With UIDONLY (RFC 9586), messages have no sequence numbers.
            var message = try fetch(sequence: 0)
            message.uid = number
            return .fetch(message)
        case "": throw failure("the name of a response")
        default: return .other(name)
        }
    }

    private mutating func capabilities() -> Set<String> {
        var names: Set<String> = []
        while !isAtEnd, peek != UInt8(ascii: "]") {
            let name = takeWord().uppercased()
            if name.isEmpty { skip() } else { names.insert(name) }
            skipSpaces()
        }
        return names
    }

    mutating func flags() throws(ParseError) -> [String] {
        try list { scanner throws(ParseError) in
            // Keywords may contain brackets, contrary to the grammar.
            let flag = scanner.take { $0 > 32 && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
            return String(decoding: flag, as: UTF8.self)
        }
    }

    // MARK: Status

    /// Never fails: a code that is not understood is text like the rest.
    private mutating func status(_ kind: StatusResponse.Kind) -> StatusResponse {
        skipSpaces()
        var code: ResponseCode?
        if isNext(UInt8(ascii: "[")) {
            var attempt = self
            code = attempt.readCode()
            self = attempt
        }
        skipSpaces()
        return StatusResponse(kind: kind, code: code, text: takeRest())
    }

    private mutating func readCode() -> ResponseCode? {
        skip()
        let name = takeWord().uppercased()
        skipSpaces()
        var arguments = self
        let code = try? arguments.code(name)
        if code != nil { self = arguments }
        // The end of the code is wherever its bracket closes, past strings that hold one.
        while let byte = peek, byte != UInt8(ascii: "]") {
            if byte != UInt8(ascii: "\"") || (try? skipValue()) == nil { skip() }
        }
        skip()
        return name.isEmpty ? nil : code ?? .word(name)
    }

    private mutating func code(_ name: String) throws(ParseError) -> ResponseCode {
        switch name {
        case "CAPABILITY": return .capability(capabilities())
        case "PERMANENTFLAGS": return .permanentFlags(try flags())
        case "UIDNEXT": return .uidNext(try number32())
        case "UIDVALIDITY": return .uidValidity(try number32())
        case "HIGHESTMODSEQ": return .highestModSeq(try number())
        case "APPENDUID":
            let validity = try number32()
            skipSpaces()
            return .appendUID(validity: validity, try uidSet())
        case "COPYUID":
            let validity = try number32()
            skipSpaces()
            let source = try uidRanges()
            skipSpaces()
            return .copyUID(validity: validity, from: source, to: try uidRanges())
        case "MESSAGELIMIT":
            let limit = try number32()
            skipSpaces()
            return .messageLimit(limit, lowest: peek.map(isDigit) == true ? try number32() : nil)
        default: return .word(name)
        }
    }
}
