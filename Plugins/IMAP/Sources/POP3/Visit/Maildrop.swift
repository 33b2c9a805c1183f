import MailKernelAPI

/// A message as the server lists it.
struct DropEntry: Sendable, Hashable {
    /// Its number in this visit.
    var number: Int
    var size: Int
    /// What it is called in all visits.
    var name: String
    /// Whether the server calls another one the same.
    var isAmbiguous = false
}

/// What is on the server, in the order in which it came there.
struct Maildrop: Sendable {
    private static let longestName = 200

    private(set) var entries: [DropEntry] = []

    /// The sentence for servers without names.
    static let needsNames = AccountError.refused(
        "This POP3 server does not support UIDL. Without it, mailkernel cannot tell new messages from those that it "
            + "already has. Ask your provider for IMAP.")

    init(_ entries: [DropEntry]) { self.entries = entries }

    /// Asks for both lists.
    init(_ talk: inout POP3Talk) async throws(AccountError) {
        try await talk.say("UIDL")
        let reply = try await talk.reply()
        guard reply.isOK else {
            let error = reply.error(from: talk.endpoint)
            if case .refused = error, reply.code == nil { throw Self.needsNames }
            throw error
        }
        var names: [Int: String] = [:]
        try await talk.lines { line throws(AccountError) in
            let (number, rest) = try Self.numbered(line)
            guard (1...Self.longestName).contains(rest.utf8.count),
                rest.utf8.allSatisfy({ (33...126).contains($0) }),
                names.updateValue(rest, forKey: number) == nil
            else { throw .badAnswer("the server sent an invalid list of names") }
        }
        let sizes = try await Self.sizes(&talk)
        self.init(names: names, sizes: sizes)
    }

    private static func sizes(_ talk: inout POP3Talk) async throws(AccountError) -> [Int: Int] {
        let reply = try await talk.ask("LIST")
        guard reply.isOK else { throw reply.error(from: talk.endpoint) }
        var sizes: [Int: Int] = [:]
        try await talk.lines { line throws(AccountError) in
            let (number, rest) = try numbered(line)
            guard let size = rest.split(separator: " ").first.flatMap({ Int($0) }), size >= 0 else {
                throw .badAnswer("the server sent an invalid list of sizes")
            }
            sizes[number] = size
        }
        return sizes
    }

    private static func numbered(_ line: String) throws(AccountError) -> (Int, String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard let number = parts.first.flatMap({ Int($0) }), number > 0 else {
            throw .badAnswer("the server sent an invalid list")
        }
        let rest = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        return (number, String(rest.reversed().drop { $0 == " " }.reversed()))
    }

    /// A name that several messages have is told apart by their sizes and order. Nothing of that name is ever deleted.
    init(names: [Int: String], sizes: [Int: Int]) {
        var counts: [String: Int] = [:]
        for name in names.values { counts[name, default: 0] += 1 }
        var seen: [String: Int] = [:]
        for (number, name) in names.sorted(by: { $0.key < $1.key }) {
            // Gone between the two questions, or never there.
            guard let size = sizes[number] else { continue }
            guard counts[name, default: 0] > 1 else {
                entries.append(DropEntry(number: number, size: size, name: name))
                continue
            }
            let key = "\(name) \(size)"
            seen[key, default: 0] += 1
            entries.append(
                DropEntry(
                    number: number, size: size, name: "\(key) \(seen[key, default: 1])", isAmbiguous: true))
        }
    }
}
