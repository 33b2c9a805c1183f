public import MailKernelAPI

/// Connects an email without references to others with its subject, as `Threading` defines it.
///
/// A store remembers the `ownKeys` of every email with its thread and date. An email joins the threads that are
/// remembered under one of its `connectedKeys` with a date near its own.
public struct SubjectLink: Sendable {
    private static let mostPairs = 16
    private static let longestSubject = 200
    private static let longestAddress = 254
    private static let mark = "\u{1F}"

    /// Whether its subject has a prefix such as “Re:”.
    public let isReply: Bool
    /// The subject with a pair of people, the sender and someone named in the email: one key per pair.
    private let keys: [String]

    /// Nil if its subject connects it with no email.
    public init?(_ header: EmailHeader) {
        guard header.inReplyTo.isEmpty, header.references.isEmpty else { return nil }
        let normalizedSubject = Threading.normalizedSubject(header.subject ?? "")
        guard !normalizedSubject.isEmpty else { return nil }
        let pairs = Self.pairs(header)
        guard !pairs.isEmpty else { return nil }
        isReply = Self.hasPrefix(header.subject ?? "", normalized: normalizedSubject)
        let subject = String(
            String.UnicodeScalarView(normalizedSubject.unicodeScalars.prefix(Self.longestSubject)))
        keys = pairs.map { $0 + Self.mark + subject }
    }

    /// The keys to remember the email under.
    public var ownKeys: [String] { keys.map { Self.kind(isReply: isReply) + $0 } }

    /// The keys it is connected with: for a reply, all; for another email, those of replies.
    public var connectedKeys: [String] {
        keys.map { Self.kind(isReply: true) + $0 }
            + (isReply ? keys.map { Self.kind(isReply: false) + $0 } : [])
    }

    private static func kind(isReply: Bool) -> String { (isReply ? "r" : "o") + mark }

    private static func pairs(_ header: EmailHeader) -> [String] {
        // One of several authors may be named without having written it.
        guard header.from.count < 2 else { return [] }
        let senders = addresses(header.from.isEmpty ? header.sender : header.from)
        let named = addresses(header.from + header.sender + header.to + header.cc)
        var pairs: [String] = []
        for sender in senders {
            for other in named where other != sender {
                let pair = min(sender, other) + mark + max(sender, other)
                if !pairs.contains(pair) { pairs.append(pair) }
                if pairs.count == mostPairs { return pairs }
            }
        }
        return pairs
    }

    /// Each once, in the order of the header.
    private static func addresses(_ all: [EmailAddress]) -> [String] {
        var seen: Set<String> = []
        return all.prefix(10 * mostPairs).compactMap { address in
            let key = String(address.email.prefix(longestAddress)).lowercased()
            return key.isEmpty || !seen.insert(key).inserted ? nil : key
        }
    }

    /// Whether there is more before the subject than a mailing list's “[name]”.
    private static func hasPrefix(_ subject: String, normalized: String) -> Bool {
        var rest = Substring(
            subject.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " "))
        while rest.first == "[", let end = rest.firstIndex(of: "]") {
            let behind = rest[rest.index(after: end)...].drop { $0 == " " }
            if behind.isEmpty { break }
            rest = behind
        }
        return rest != normalized
    }
}

extension EmailHeader {
    private static let mostReferences = 100
    /// Of ids without an `@`, which old programs make, these are long enough to be unique.
    private static let shortestLooseID = 16

    /// The Message-IDs that connect it with other emails, its own included. Of very many references, the first and
    /// the last ones count.
    public var connectedMessages: Set<String> {
        var named = references
        if named.count > Self.mostReferences {
            named = named.prefix(1) + named.suffix(Self.mostReferences - 1)
        }
        let people = Set((from + sender + to + cc + replyTo).map { $0.email.lowercased() })
        return Set(messageID.prefix(Self.mostReferences) + inReplyTo.prefix(Self.mostReferences) + named)
            .filter { Self.isMessageID($0) && !people.contains($0.lowercased()) }
    }

    /// Old programs wrote “Your message to <ada@example.org>” in place of an id, and some write `<none>` or `<@>`.
    private static func isMessageID(_ text: String) -> Bool {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return text.utf8.count >= shortestLooseID
        }
        return at > text.utf8.startIndex && text.utf8.index(after: at) < text.utf8.endIndex
    }
}
