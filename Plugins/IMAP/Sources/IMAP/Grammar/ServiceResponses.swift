/// What `QUOTA` says about one quota root (RFC 9208, section 4.2).
struct QuotaRoot: Equatable, Sendable {
    struct Resource: Equatable, Sendable {
        /// In upper case: `STORAGE`, `MESSAGE`, `MAILBOX`.
        var name: String
        var usage: UInt64
        var limit: UInt64
    }

    var name: String
    var resources: [Resource] = []
}

extension ByteScanner {
    /// Servers have four kinds of resources; more are of no use here.
    private static var mostResources: Int { 20 }

    mutating func quota() throws(ParseError) -> QuotaRoot {
        var root = QuotaRoot(name: String(decoding: try astring(), as: UTF8.self))
        skipSpaces()
        try expect("(", "a list of resources")
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            let name = takeWord().uppercased()
            guard !name.isEmpty else { throw failure("the name of a resource") }
            skipSpaces()
            let usage = try number()
            skipSpaces()
            let limit = try number()
            skipSpaces()
            guard root.resources.count < Self.mostResources else { continue }
            root.resources.append(QuotaRoot.Resource(name: name, usage: usage, limit: limit))
        }
        return root
    }

    /// `(F2212ea87-6097-4256)`: a permanent id of a mailbox or a message (RFC 8474); nil for `NIL`.
    mutating func objectID() throws(ParseError) -> String? {
        guard isNext(UInt8(ascii: "(")) else { return try ntext() }
        let ids = try list { scanner throws(ParseError) in
            String(decoding: try scanner.astring(), as: UTF8.self)
        }
        // Longer ones are not valid.
        return ids.first.flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
    }

    /// `(TAG "a1") 215295:99696,99695:1`: the ranges from the newest on, each of as many messages as was asked for.
    mutating func uidBatches() throws(ParseError) -> [ClosedRange<UInt32>] {
        if isNext(UInt8(ascii: "(")) {
            try skipValue()
            skipSpaces()
        }
        return isAtEnd ? [] : try uidRanges()
    }

    /// `(-1:-100 4:9,11)`, or NIL instead of the numbers.
    mutating func partialResult() throws(ParseError) -> UIDSet {
        try expect("(", "a part of a result")
        skipSpaces()
        _ = takeWord()
        skipSpaces()
        let isFound = peek.map(isDigit) ?? false
        let found = isFound ? try uidSet() : UIDSet()
        if !isFound { try skipValue() }
        skipSpaces()
        try expect(")", "the end of a part of a result")
        return found
    }
}
