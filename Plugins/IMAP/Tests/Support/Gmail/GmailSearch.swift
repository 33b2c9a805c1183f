import FoundationEssentials

/// `SEARCH` as far as `GmailServer` does it.
enum GmailSearch {
    static func carryOut(
        _ tag: String, _ arguments: [Token], _ mailbox: String, _ store: GmailStore
    ) -> String {
        var words = arguments[...]
        let isExtended = words.first?.text.uppercased() == "RETURN"
        let newest = isExtended ? Self.newest(words.dropFirst().first?.items ?? []) : nil
        if isExtended { words = words.dropFirst(2) }
        if words.first?.text.uppercased() == "CHARSET" { words = words.dropFirst(2) }
        let contents = store.contents(mailbox)
        let last = contents.last?.uids[mailbox] ?? 0
        let found = contents.filter { message in
            var rest = words
            var matches = true
            while !rest.isEmpty {
                if !Self.matches(&rest, message, message.uids[mailbox] ?? 0, last) { matches = false }
            }
            return matches
        }.compactMap { $0.uids[mailbox] }
        if let newest {
            let part = found.suffix(newest).map { "\($0)" }.joined(separator: ",")
            return "* ESEARCH (TAG \"\(tag)\") UID PARTIAL (-1:-\(newest) \(part.isEmpty ? "NIL" : part))\r\n"
                + "\(tag) OK SEARCH completed (Success)\r\n"
        }
        let list = found.map { "\($0)" }
        if isExtended {
            let all = list.isEmpty ? "" : " ALL \(list.joined(separator: ","))"
            return "* ESEARCH (TAG \"\(tag)\") UID\(all)\r\n\(tag) OK SEARCH completed (Success)\r\n"
        }
        return "* SEARCH\(list.map { " " + $0 }.joined())\r\n\(tag) OK SEARCH completed (Success)\r\n"
    }

    /// `PARTIAL -1:-50`: the number of messages.
    private static func newest(_ options: [Token]) -> Int? {
        guard let index = options.firstIndex(where: { $0.text == "PARTIAL" }), index + 1 < options.count
        else { return nil }
        return options[index + 1].text.split(separator: "-").last.flatMap { Int($0) }
    }

    /// Takes one key and what belongs to it.
    private static func matches(
        _ words: inout ArraySlice<Token>, _ message: GmailStore.Message, _ uid: UInt32, _ last: UInt32
    ) -> Bool {
        func next() -> String { words.popFirst()?.text ?? "" }
        func contains(_ text: String, _ part: String) -> Bool {
            text.lowercased().contains(part.lowercased())
        }
        let whole = { String(decoding: message.bytes, as: UTF8.self) }
        switch next().uppercased() {
        case "ALL": return true
        case "NOT": return !matches(&words, message, uid, last)
        case "OR":
            let one = matches(&words, message, uid, last)
            let other = matches(&words, message, uid, last)
            return one || other
        case "UID": return GmailMessages.uids(next(), last).contains { $0.contains(uid) }
        case "EMAILID": return next() == "E\(message.number)"
        case "X-GM-MSGID": return next() == "\(message.number)"
        case "X-GM-LABELS": return message.labels.contains(next())
        case "X-GM-RAW", "TEXT", "BODY": return contains(whole(), next())
        case "SUBJECT": return contains(GmailMessages.field("Subject", message), next())
        case "FROM": return contains(GmailMessages.field("From", message), next())
        case "HEADER":
            let name = next()
            return contains(GmailMessages.field(name, message), next())
        case "SINCE": return message.date >= GmailMessages.date(next())
        case "BEFORE": return message.date < GmailMessages.date(next())
        case "DELETED": return message.flags.contains("\\Deleted")
        case "SEEN": return message.flags.contains("\\Seen")
        case "FLAGGED": return message.flags.contains("\\Flagged")
        default: return true
        }
    }
}
