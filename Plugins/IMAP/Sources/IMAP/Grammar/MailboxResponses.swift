import FoundationEssentials

/// One line of `LIST`.
struct ListedMailbox: Equatable, Sendable {
    /// In lower case, with their backslash.
    var attributes: Set<String>
    /// Between the levels of a name; nil where there are none.
    var delimiter: Character?
    var name: MailboxName
}

/// What `STATUS` tells, as far as it was asked for.
struct MailboxStatus: Equatable, Sendable {
    var messages: UInt32?
    var uidNext: UInt32?
    var uidValidity: UInt32?
    var highestModSeq: UInt64?
    /// The same as long as the mailbox exists, whatever its name (RFC 8474).
    var mailboxID: String?
}

struct ExtendedSearch: Equatable, Sendable {
    var tag: String?
    var all = UIDSet()
    var count: UInt32?
    var min: UInt32?
    var max: UInt32?
    var modSeq: UInt64?
}

extension ByteScanner {
    mutating func listedMailbox() throws(ParseError) -> ListedMailbox {
        let attributes = try flags()
        skipSpaces()
        let delimiter = try ntext()
        skipSpaces()
        let name = try mailboxName()
        return ListedMailbox(
            attributes: Set(attributes.map { $0.lowercased() }), delimiter: delimiter?.first, name: name)
    }

    mutating func mailboxName() throws(ParseError) -> MailboxName {
        MailboxName(wire: String(decoding: try astring(), as: UTF8.self))
    }

    mutating func mailboxStatus() throws(ParseError) -> Untagged {
        let name = try mailboxName()
        skipSpaces()
        var status = MailboxStatus()
        try expect("(", "a list of attributes")
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            let attribute = takeWord().uppercased()
            guard !attribute.isEmpty else { throw failure("an attribute of a mailbox") }
            skipSpaces()
            if attribute == "MAILBOXID" {
                status.mailboxID = try objectID()
                skipSpaces()
                continue
            }
            // Some servers return -1 or NIL for unknown values.
            let value = optionalNumber()
            if value == nil { try skipValue() }
            switch attribute {
            case "MESSAGES": status.messages = value.flatMap { UInt32(exactly: $0) }
            case "UIDNEXT": status.uidNext = value.flatMap { UInt32(exactly: $0) }
            case "UIDVALIDITY": status.uidValidity = value.flatMap { UInt32(exactly: $0) }
            case "HIGHESTMODSEQ": status.highestModSeq = value
            default: break
            }
            skipSpaces()
        }
        return .mailboxStatus(name, status)
    }

    /// A number if one is next; else nothing is taken.
    mutating func optionalNumber() -> UInt64? {
        var attempt = self
        guard let number = try? attempt.number() else { return nil }
        self = attempt
        return number
    }

    /// The prefix of the first personal namespace.
    mutating func personalPrefix() throws(ParseError) -> String? {
        guard isNext(UInt8(ascii: "(")) else { return nil }
        let namespaces = try list { scanner throws(ParseError) -> String? in
            try scanner.expect("(", "a namespace")
            let prefix = try scanner.ntext()
            while !scanner.take(UInt8(ascii: ")")) { try scanner.skipValue() }
            return prefix
        }
        return namespaces.first ?? nil
    }

    mutating func search() throws(ParseError) -> Untagged {
        var numbers: [UInt32] = []
        var modSeq: UInt64?
        skipSpaces()
        while !isAtEnd {
            if take(UInt8(ascii: "(")) {
                _ = takeWord()
                skipSpaces()
                modSeq = try number()
                try expect(")", "the end of a mod-sequence")
            } else {
                numbers.append(try number32())
            }
            skipSpaces()
        }
        return .search(numbers, modSeq: modSeq)
    }

    mutating func extendedSearch() throws(ParseError) -> ExtendedSearch {
        var found = ExtendedSearch()
        while !isAtEnd {
            if isNext(UInt8(ascii: "(")) {
                let correlator = try list { scanner throws(ParseError) in try scanner.astring() }
                found.tag = correlator.last.map { String(decoding: $0, as: UTF8.self) }
            } else {
                try extendedSearchItem(&found)
            }
            skipSpaces()
        }
        return found
    }

    private mutating func extendedSearchItem(_ found: inout ExtendedSearch) throws(ParseError) {
        let name = takeWord().uppercased()
        skipSpaces()
        switch name {
        case "": throw failure("an item of a search")
        case "UID": break
        case "ALL": found.all = try uidSet()
        case "PARTIAL": found.all = try partialResult()
        case "COUNT": found.count = try number32()
        case "MIN": found.min = try number32()
        case "MAX": found.max = try number32()
        case "MODSEQ": found.modSeq = try number()
        default: try skipValue()
        }
    }

    mutating func vanished() throws(ParseError) -> Untagged {
        var isEarlier = false
        if isNext(UInt8(ascii: "(")) {
            isEarlier = try flags().contains { $0.uppercased() == "EARLIER" }
            skipSpaces()
        }
        return .vanished(try uidSet(), earlier: isEarlier)
    }
}
