import FoundationEssentials
import MailKernelAPI

extension Keyword {
    static let important = Keyword("$important")
}

/// Microsoft's marks on a message as keywords, and back. Categories are the user's own keywords.
enum Marks {
    /// What Outlook notes of the last answer: to the sender, to all, or passed on.
    static let replied = 102
    static let repliedToAll = 103
    static let forwarded = 104
    /// Told by the folder, or fixed when a message is made: a category would only puzzle.
    private static let unkept: Set<Keyword> = [.draft, .junk, .notJunk]

    static func keywords(of message: RawMessage) -> Set<Keyword> {
        var keywords: Set<Keyword> = []
        if message.isRead == true { keywords.insert(.seen) }
        if message.isDraft == true { keywords.insert(.draft) }
        if message.flag?.flagStatus == "flagged" { keywords.insert(.flagged) }
        if message.importance == "high" { keywords.insert(.important) }
        switch message.lastVerb {
        case replied, repliedToAll: keywords.insert(.answered)
        case forwarded: keywords.insert(.forwarded)
        default: break
        }
        for category in (message.categories ?? []).prefix(500) {
            if let keyword = Category.keyword(category) { keywords.insert(keyword) }
        }
        return keywords
    }

    /// Those that are categories.
    static func areCategories(_ keywords: Set<Keyword>) -> Set<Keyword> {
        keywords.subtracting(unkept).subtracting([.seen, .flagged, .important, .answered, .forwarded])
    }

    /// What has to be known of a message before it is changed.
    static func needsLook(add: Set<Keyword>, remove: Set<Keyword>) -> Bool {
        !areCategories(add.union(remove)).isEmpty || !remove.isDisjoint(with: [.answered, .forwarded])
    }

    /// The change of a message; nil if nothing changes.
    ///
    /// - Parameters:
    ///   - now: the message as it is, if `needsLook`.
    ///   - names: categories as the user writes them.
    static func patch(
        add: Set<Keyword>, remove: Set<Keyword>, now: RawMessage?, names: [Keyword: String]
    ) -> JSONValue? {
        let remove = remove.subtracting(add)
        var patch: [String: JSONValue] = [:]
        func isSet(_ keyword: Keyword) -> Bool? {
            add.contains(keyword) ? true : remove.contains(keyword) ? false : nil
        }
        if let seen = isSet(.seen) { patch["isRead"] = .bool(seen) }
        if let flagged = isSet(.flagged) {
            patch["flag"] = ["flagStatus": .string(flagged ? "flagged" : "notFlagged")]
        }
        if let important = isSet(.important) { patch["importance"] = .string(important ? "high" : "normal") }
        if let verb = verb(add: add, remove: remove, now: now?.lastVerb) {
            patch["singleValueExtendedProperties"] = [
                ["id": .string(RawMessage.PropertyName.lastVerb), "value": .string("\(verb)")]
            ]
        }
        if let now, let categories = now.categories {
            let gone = areCategories(remove)
            var kept = categories.filter { name in Category.keyword(name).map { !gone.contains($0) } ?? true }
            let there = Set(kept.compactMap { Category.keyword($0) })
            for keyword in areCategories(add).subtracting(there).sorted() {
                kept.append(names[keyword] ?? Category.name(keyword))
            }
            if kept != categories { patch["categories"] = .array(kept.map { .string($0) }) }
        }
        return patch.isEmpty ? nil : .object(patch)
    }

    /// Exchange keeps one: the last.
    private static func verb(add: Set<Keyword>, remove: Set<Keyword>, now: Int?) -> Int? {
        if add.contains(.forwarded) { return forwarded }
        if add.contains(.answered) { return replied }
        if remove.contains(.forwarded), now == forwarded { return 0 }
        if remove.contains(.answered), now == replied || now == repliedToAll { return 0 }
        return nil
    }
}

/// A category of Outlook as a keyword. Keywords are of ASCII, without spaces and some signs, and in lower case: a
/// space becomes `_`, and every other byte that a keyword cannot have `~` and its two digits.
enum Category {
    private static let unfit = Set("(){]%*\"\\~_".utf8)

    /// Nil for one that is too long.
    static func keyword(_ category: String) -> Keyword? {
        guard !category.isEmpty, category.utf8.count <= 255 else { return nil }
        var text = ""
        for byte in category.lowercased().utf8 {
            if byte == UInt8(ascii: " ") {
                text += "_"
            } else if (0x21...0x7e).contains(byte), !unfit.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "~" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text.utf8.count <= 255 ? Keyword(text) : nil
    }

    /// The category for a keyword that is not known from a message.
    static func name(_ keyword: Keyword) -> String {
        var bytes: [UInt8] = []
        var rest = Array(keyword.rawValue.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "_") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "~"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the service gives this keyword back as it is.
    static func isKept(_ keyword: Keyword) -> Bool { self.keyword(name(keyword)) == keyword }
}
