import FoundationEssentials
import MailKernelAPI

/// JMAP's filter as `SEARCH` criteria, for one mailbox. The result may contain more than the filter, because servers
/// cannot search for everything. It contains less only where a word is excluded: then messages are also excluded that
/// have it inside of another word.
struct SearchCriteria: Sendable {
    private indirect enum Node: Sendable {
        case all
        case nothing
        /// Words of the protocol, and a text.
        case key(String, String?, String?)
        case not(Node)
        case and([Node])
        case or([Node])
    }

    private let root: Node

    /// Nil if nothing in this mailbox can match.
    init?(_ filter: EmailFilter, in mailbox: RemoteMailboxID?, _ directory: MailboxDirectory, hasRaw: Bool) {
        let context = Context(mailbox: mailbox, directory: directory, hasRaw: hasRaw)
        root = context.node(filter, .wide)
        if case .nothing = root { return nil }
    }

    var isASCII: Bool { Self.isASCII(root) }

    private static func isASCII(_ node: Node) -> Bool {
        switch node {
        case .all, .nothing: true
        case .key(_, let name, let text): ((name ?? "") + (text ?? "")).utf8.allSatisfy { $0 < 128 }
        case .not(let node): isASCII(node)
        case .and(let nodes), .or(let nodes): nodes.allSatisfy(isASCII)
        }
    }

    var add: @Sendable (Command) -> Command {
        { [root] in Self.add(root, to: $0) }
    }

    private static func add(_ node: Node, to command: Command) -> Command {
        switch node {
        case .all: return command.raw("ALL")
        case .nothing: return command.raw("NOT").raw("ALL")
        case .key(let key, let name, let text):
            var command = command.raw(key)
            if let name { command = command.astring(name) }
            return text.map { command.astring($0) } ?? command
        case .not(let node): return add(node, to: command.raw("NOT"))
        // Without parentheses, which a literal between them would tear apart: OR NOT OR NOT … is enough.
        case .and(let nodes):
            guard nodes.count > 1, let first = nodes.first else {
                return add(nodes.first ?? .all, to: command)
            }
            let rest = Node.and(Array(nodes.dropFirst()))
            return add(.not(.or([.not(first), .not(rest)])), to: command)
        case .or(let nodes):
            guard nodes.count > 1, let first = nodes.first else {
                return add(nodes.first ?? .nothing, to: command)
            }
            return add(.or(Array(nodes.dropFirst())), to: add(first, to: command.raw("OR")))
        }
    }

    private struct Context {
        /// Of one text.
        private static let mostWords = 20

        let mailbox: RemoteMailboxID?
        let directory: MailboxDirectory
        let hasRaw: Bool

        /// What a node may differ in from a filter that `SEARCH` cannot express.
        enum Side {
            /// It matches too much.
            case wide
            /// It matches too little. What is to be excluded is such, so that nothing else is excluded.
            case narrow

            var other: Side { self == .wide ? .narrow : .wide }
            var unknown: Node { self == .wide ? .all : .nothing }
        }

        func node(_ filter: EmailFilter, _ side: Side) -> Node {
            switch filter {
            case .and(let filters): all(filters.map { node($0, side) })
            case .or(let filters): any(filters.map { node($0, side) })
            case .not(let filters): all(filters.map { inverse(node($0, side.other)) })
            case .inMailbox(let id): isIn(RemoteMailboxID(id.rawValue))
            case .inMailboxOtherThan(let ids): isElsewhere(ids.map { RemoteMailboxID($0.rawValue) }, side)
            case .inRole(let role): directory[role: role].map { isIn($0.id) } ?? .nothing
            case .before(let date): day("BEFORE", date, side == .wide ? 2 : -1)
            case .after(let date): day("SINCE", date, side == .wide ? -1 : 2)
            case .minSize(let size): .key("LARGER \(clamped(size) - (size > 0 ? 1 : 0))", nil, nil)
            case .maxSize(let size): .key("SMALLER \(clamped(size))", nil, nil)
            case .hasKeyword(let keyword): has(keyword)
            case .notKeyword(let keyword): inverse(has(keyword))
            case .text(let text): hasRaw ? raw(text, side) : words(text, "TEXT", side)
            case .from(let text): words(text, "FROM", side)
            case .to(let text): words(text, "TO", side)
            case .cc(let text): words(text, "CC", side)
            case .bcc(let text): words(text, "BCC", side)
            case .subject(let text): words(text, "SUBJECT", side)
            case .body(let text): words(text, "BODY", side)
            case .header(let name, let value): .key("HEADER", name, value ?? "")
            case .hasAttachment(let wanted):
                hasRaw ? .key("X-GM-RAW", nil, wanted ? "has:attachment" : "-has:attachment") : side.unknown
            case .allInThreadHaveKeyword(let keyword): side == .wide ? has(keyword) : .nothing
            case .someInThreadHaveKeyword(let keyword): side == .wide ? .all : has(keyword)
            case .noneInThreadHaveKeyword(let keyword): side == .wide ? inverse(has(keyword)) : .nothing
            case .category: side.unknown
            }
        }

        /// Servers compare days, each in its own time zone.
        private func day(_ key: String, _ date: Date, _ days: Double) -> Node {
            .key("\(key) \(IMAPDate.day(date + days * 86_400))", nil, nil)
        }

        private func isElsewhere(_ ids: [RemoteMailboxID], _ side: Side) -> Node {
            if let mailbox { return ids.contains(mailbox) ? .nothing : .all }
            // A message with other labels as well is found by checking it.
            return side == .wide ? .all : all(ids.map { inverse(isIn($0)) })
        }

        private func clamped(_ size: Int) -> Int { min(max(size, 0), Int(UInt32.max)) }

        /// Whether messages of this feed are in that mailbox.
        private func isIn(_ id: RemoteMailboxID) -> Node {
            if let mailbox { return mailbox == id ? .all : .nothing }
            guard let entry = directory[id] else { return .nothing }
            let label = directory.label(of: entry)
            return .key("X-GM-LABELS \(label)", nil, nil)
        }

        private func has(_ keyword: Keyword) -> Node {
            switch keyword {
            case .seen: return .key("SEEN", nil, nil)
            case .answered: return .key("ANSWERED", nil, nil)
            case .flagged: return .key("FLAGGED", nil, nil)
            case .draft: return .key("DRAFT", nil, nil)
            default:
                guard let flag = KeywordFlags.flags([keyword])?.first else { return .nothing }
                return .key("KEYWORD \(flag)", nil, nil)
            }
        }

        /// In Gmail's own search language, in which signs and words in capitals are operators.
        private func raw(_ text: String, _ side: Side) -> Node {
            let words = plainWords(text)
            guard !words.isEmpty else { return none(text, side) }
            guard side == .wide || words.count <= Self.mostWords else { return .nothing }
            return .key("X-GM-RAW", nil, words.prefix(Self.mostWords).joined(separator: " ").lowercased())
        }

        /// Every word, wherever it stands: `foo` is also found in `barfoot`.
        private func words(_ text: String, _ key: String, _ side: Side) -> Node {
            let words = plainWords(text)
            guard !words.isEmpty else { return none(text, side) }
            // With fewer words, more would be excluded than was asked for.
            guard side == .wide || words.count <= Self.mostWords else { return .nothing }
            return all(words.prefix(Self.mostWords).map { .key(key, nil, $0) })
        }

        /// Signs on their own are not searched for; a text of nothing is in every message.
        private func none(_ text: String, _ side: Side) -> Node {
            text.allSatisfy(\.isWhitespace) ? .all : side.unknown
        }

        private func plainWords(_ text: String) -> [String] {
            let words = text.split { !($0.isLetter || $0.isNumber || "@.-_'".contains($0)) }
            return words.map { $0.drop { !($0.isLetter || $0.isNumber) } }.filter { !$0.isEmpty }.map(
                String.init)
        }

        private func inverse(_ node: Node) -> Node {
            switch node {
            case .all: .nothing
            case .nothing: .all
            default: .not(node)
            }
        }

        private func all(_ nodes: [Node]) -> Node {
            let counting = nodes.filter { if case .all = $0 { false } else { true } }
            if counting.contains(where: { if case .nothing = $0 { true } else { false } }) { return .nothing }
            return counting.isEmpty ? .all : .and(counting)
        }

        private func any(_ nodes: [Node]) -> Node {
            let counting = nodes.filter { if case .nothing = $0 { false } else { true } }
            if counting.contains(where: { if case .all = $0 { true } else { false } }) { return .all }
            return counting.isEmpty ? .nothing : .or(counting)
        }
    }
}
