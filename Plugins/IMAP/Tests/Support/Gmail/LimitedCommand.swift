import FoundationEssentials

/// A command that names more messages than the server processes at once (RFC 9738).
struct LimitedCommand {
    /// The command for those that are processed; nil if the command is refused.
    let arguments: [Token]?
    private let code: String

    /// Nil if it names few enough.
    init?(_ verb: String, _ arguments: [Token], _ uids: [UInt32], _ limit: Int) {
        let named = Self.named(verb, arguments, uids)
        guard named.count > limit, let lowest = named.suffix(limit).first else { return nil }
        code = "[MESSAGELIMIT \(limit) \(lowest)]"
        let some = named.suffix(limit).map { "\($0)" }.joined(separator: ",")
        switch verb {
        case "UID FETCH", "UID STORE": self.arguments = [.word(some)] + arguments.dropFirst()
        case "UID SEARCH": self.arguments = arguments + [.word("UID"), .word(some)]
        default: self.arguments = nil
        }
    }

    private static func named(_ verb: String, _ arguments: [Token], _ uids: [UInt32]) -> [UInt32] {
        var sets = [arguments.first?.text ?? ""]
        if verb == "UID SEARCH" {
            sets = arguments.indices.dropLast().filter { arguments[$0].text == "UID" }.map {
                arguments[$0 + 1].text
            }
        }
        return sets.reduce(uids) { left, set in
            let ranges = GmailMessages.uids(set, uids.last ?? 0)
            return left.filter { uid in ranges.contains { $0.contains(uid) } }
        }
    }

    func answer(_ text: String, _ tag: String) -> String {
        text.replacing("\(tag) OK ", with: "\(tag) OK \(code) ")
    }
}
