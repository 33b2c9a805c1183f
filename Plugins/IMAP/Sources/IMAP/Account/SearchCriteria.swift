import FoundationEssentials
import MailKernelAPI

/// JMAP's filter as `SEARCH` criteria, for one mailbox. Unsupported conditions are omitted, so the result may
/// contain more, but never less.
struct SearchCriteria: Sendable {
    private indirect enum Node: Sendable {
        /// Everything, or a condition that cannot be expressed.
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
        root = context.node(filter)
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
        let mailbox: RemoteMailboxID?
        let directory: MailboxDirectory
        let hasRaw: Bool

        func node(_ filter: EmailFilter) -> Node {
            switch filter {
            case .and(let filters): all(filters.map(node))
            case .or(let filters): any(filters.map(node))
            case .not(let filters): all(filters.map { inverse(node($0)) })
            case .inMailbox(let id): isIn(RemoteMailboxID(id.rawValue))
            case .inMailboxOtherThan(let ids): all(ids.map { inverse(isIn(RemoteMailboxID($0.rawValue))) })
            case .inRole(let role): directory[role: role].map { isIn($0.id) } ?? .nothing
            case .before(let date): .key("BEFORE \(IMAPDate.day(date + 86_400))", nil, nil)
            case .after(let date): .key("SINCE \(IMAPDate.day(date - 86_400))", nil, nil)
            case .minSize(let size): .key("LARGER \(clamped(size) - (size > 0 ? 1 : 0))", nil, nil)
            case .maxSize(let size): .key("SMALLER \(clamped(size))", nil, nil)
            case .hasKeyword(let keyword): has(keyword)
            case .notKeyword(let keyword): inverse(has(keyword))
            case .text(let text): hasRaw ? raw(text) : words(text, "TEXT")
            case .from(let text): words(text, "FROM")
            case .to(let text): words(text, "TO")
            case .cc(let text): words(text, "CC")
            case .bcc(let text): words(text, "BCC")
            case .subject(let text): words(text, "SUBJECT")
            case .body(let text): words(text, "BODY")
            case .header(let name, let value): .key("HEADER", name, value ?? "")
            case .hasAttachment(true): hasRaw ? .key("X-GM-RAW", nil, "has:attachment") : .all
            case .hasAttachment(false): hasRaw ? .key("X-GM-RAW", nil, "-has:attachment") : .all
            case .allInThreadHaveKeyword(let keyword), .someInThreadHaveKeyword(let keyword): has(keyword)
            case .noneInThreadHaveKeyword(let keyword): inverse(has(keyword))
            case .category: .all
            }
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

        /// In Gmail's own search language, where quotes and operators mean something.
        private func raw(_ text: String) -> Node {
            let plain = text.filter { $0 != "\"" && !$0.isNewline }
            return plain.allSatisfy(\.isWhitespace) ? .all : .key("X-GM-RAW", nil, plain)
        }

        /// Every word, wherever it stands.
        private func words(_ text: String, _ key: String) -> Node {
            let words = text.split { !($0.isLetter || $0.isNumber || "@.-_'".contains($0)) }
                .filter { $0.contains { $0.isLetter || $0.isNumber } }
            return all(words.prefix(20).map { .key(key, nil, String($0)) })
        }

        private func inverse(_ node: Node) -> Node {
            switch node {
            // An inexpressible condition cannot be negated either.
            case .all: .all
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
