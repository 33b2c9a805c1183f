import MailKernelAPI

/// JMAP's keywords and IMAP's flags for the same things.
enum KeywordFlags {
    private static let system: [(flag: String, keyword: Keyword)] = [
        ("\\Seen", .seen), ("\\Answered", .answered), ("\\Flagged", .flagged), ("\\Draft", .draft),
    ]

    /// Session flags such as `\Recent`, and the mark of messages to be expunged, are not keywords.
    static func keywords(_ flags: [String]) -> Set<Keyword> {
        var keywords: Set<Keyword> = []
        for flag in flags {
            if flag.hasPrefix("\\") {
                let known = system.first { $0.flag.lowercased() == flag.lowercased() }
                if let known { keywords.insert(known.keyword) }
            } else {
                keywords.insert(keyword(flag))
            }
        }
        return keywords
    }

    private static func keyword(_ flag: String) -> Keyword {
        switch flag.lowercased() {
        case "forwarded", "$forwarded": .forwarded
        case "junk", "$junk": .junk
        case "nonjunk", "$nonjunk", "notjunk", "$notjunk": .notJunk
        case let name: Keyword(name)
        }
    }

    /// Nil if a keyword cannot be a flag.
    static func flags(_ keywords: Set<Keyword>) -> [String]? {
        var flags: [String] = []
        for keyword in keywords.sorted() {
            if let known = system.first(where: { $0.keyword == keyword }) {
                flags.append(known.flag)
            } else if keyword == .forwarded {
                flags.append("$Forwarded")
            } else if keyword == .junk {
                flags.append("$Junk")
            } else if keyword == .notJunk {
                flags.append("$NotJunk")
            } else if Command.isAtom(keyword.rawValue), !keyword.rawValue.hasPrefix("[") {
                flags.append(keyword.rawValue)
            } else {
                return nil
            }
        }
        return flags
    }
}
