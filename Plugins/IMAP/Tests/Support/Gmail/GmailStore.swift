import FoundationEssentials
import Synchronization

/// Mail as Gmail keeps it: each message once, in All Mail with its labels, or in Trash or Spam. What IMAP
/// shows as mailboxes are views of that, each with UIDs of its own.
public struct GmailStore: Sendable {
    struct Message: Sendable {
        let number: UInt64
        let bytes: Data
        let date: Date
        var flags: Set<String>
        /// `\Inbox`, `\Sent`, `\Draft`, `\Starred`, `\Important`, and the user's own.
        var labels: Set<String>
        var place = Place.all
        var uids: [String: UInt32] = [:]
        var modSeq: UInt64
    }

    enum Place: Sendable { case all, trash, spam }

    public static let allMail = "[Gmail]/All Mail"
    public static let trash = "[Gmail]/Bin"
    public static let spam = "[Gmail]/Spam"
    static let system: [(name: String, use: String, label: String?)] = [
        ("INBOX", "", "\\Inbox"), (allMail, "\\All", nil), ("[Gmail]/Drafts", "\\Drafts", "\\Draft"),
        ("[Gmail]/Important", "\\Important", "\\Important"), ("[Gmail]/Sent Mail", "\\Sent", "\\Sent"),
        (spam, "\\Junk", nil), ("[Gmail]/Starred", "\\Flagged", "\\Starred"), (trash, "\\Trash", nil),
    ]

    private(set) var messages: [UInt64: Message] = [:]
    private(set) var labels: [String] = []
    private var nextUIDs: [String: UInt32] = [:]
    private var validities: [String: UInt32] = [:]
    private var lastNumber: UInt64 = 1_278_455_344_230_334_865
    private var lastValidity: UInt32 = 600_000
    private(set) var modSeq: UInt64 = 100

    /// Those that the user's settings do not show to mail programs.
    public var hidden: Set<String> = []

    public init() {}

    // MARK: Mailboxes

    private var all: [String] { Self.system.map(\.name) + labels }
    var mailboxes: [String] { all.filter { !hidden.contains($0) } }
    func has(_ mailbox: String) -> Bool { mailboxes.contains(mailbox) }
    func nextUID(_ mailbox: String) -> UInt32 { nextUIDs[mailbox] ?? 1 }

    mutating func validity(_ mailbox: String) -> UInt32 {
        if let known = validities[mailbox] { return known }
        lastValidity += 1
        validities[mailbox] = lastValidity
        return lastValidity
    }

    /// As after a repair on the server.
    public mutating func renumber(_ mailbox: String) {
        validities[mailbox] = nil
        nextUIDs[mailbox] = nil
        for number in messages.keys.sorted() { messages[number]?.uids[mailbox] = nil }
        assignUIDs()
    }

    mutating func create(_ name: String) -> Bool {
        guard !has(name) else { return false }
        labels.append(name)
        return true
    }

    mutating func delete(_ name: String) -> Bool {
        guard labels.contains(name) else { return false }
        labels.removeAll { $0 == name }
        change(Array(messages.keys)) { $0.labels.remove(name) }
        validities[name] = nil
        return true
    }

    mutating func rename(_ name: String, to new: String) -> Bool {
        guard let index = labels.firstIndex(of: name), !has(new) else { return false }
        labels[index] = new
        change(messages.values.filter { $0.labels.contains(name) }.map(\.number)) { message in
            message.labels.remove(name)
            message.labels.insert(new)
        }
        return true
    }

    /// As folders are renamed: their messages keep their UIDs, and the folder its id.
    @discardableResult
    public mutating func renameFolder(_ name: String, to new: String) -> Bool {
        guard let index = labels.firstIndex(of: name), !has(new) else { return false }
        labels[index] = new
        validities[new] = validity(name)
        validities[name] = nil
        nextUIDs[new] = nextUIDs.removeValue(forKey: name)
        for (number, var message) in messages where message.labels.contains(name) {
            message.labels.remove(name)
            message.labels.insert(new)
            message.uids[new] = message.uids.removeValue(forKey: name)
            messages[number] = message
        }
        return true
    }

    /// As Gmail may: the messages do not count as changed.
    public mutating func renameQuietly(_ name: String, to new: String) {
        let before = (modSeq, messages.mapValues(\.modSeq))
        _ = rename(name, to: new)
        modSeq = before.0
        for (number, modSeq) in before.1 { messages[number]?.modSeq = modSeq }
    }

    /// As after the loss of an index: the count begins again, and nothing tells what has changed.
    public mutating func forgetCount() {
        modSeq = 1
        for number in messages.keys { messages[number]?.modSeq = 1 }
    }

    /// In the order of their UIDs.
    func contents(_ mailbox: String) -> [Message] {
        messages.values.filter { $0.uids[mailbox] != nil }
            .sorted { $0.uids[mailbox] ?? 0 < $1.uids[mailbox] ?? 0 }
    }

    func uids(in mailbox: String) -> [UInt32] { contents(mailbox).compactMap { $0.uids[mailbox] } }

    static func label(of mailbox: String) -> String? {
        system.contains { $0.name == mailbox } ? system.first { $0.name == mailbox }?.label : mailbox
    }

    private func isIn(_ message: Message, _ mailbox: String) -> Bool {
        switch mailbox {
        case Self.allMail: message.place == .all
        case Self.trash: message.place == .trash
        case Self.spam: message.place == .spam
        default:
            message.place == .all && Self.label(of: mailbox).map(message.labels.contains) ?? false
        }
    }

    // MARK: Messages

    /// Gmail's numbers of all messages, the oldest first.
    public var numbers: [UInt64] { messages.keys.sorted() }

    mutating func append(_ bytes: Data, to mailbox: String, flags: Set<String>, date: Date) -> UInt64 {
        lastNumber += 1
        modSeq += 1
        messages[lastNumber] = Message(
            number: lastNumber, bytes: bytes, date: date, flags: flags, labels: [], modSeq: modSeq)
        put(lastNumber, into: mailbox)
        return lastNumber
    }

    public mutating func put(_ number: UInt64, into mailbox: String) {
        change([number]) { message in
            switch mailbox {
            case Self.trash: message.place = .trash
            case Self.spam: message.place = .spam
            default:
                message.place = .all
                if let label = Self.label(of: mailbox) { message.labels.insert(label) }
            }
            // A star and a flag are the same thing.
            if message.flags.contains("\\Flagged") { message.labels.insert("\\Starred") }
        }
    }

    public mutating func setFlags(_ numbers: [UInt64], adds: Bool, _ flags: Set<String>) {
        change(numbers) { message in
            message.flags = adds ? message.flags.union(flags) : message.flags.subtracting(flags)
            guard flags.contains("\\Flagged") else { return }
            message.labels =
                adds ? message.labels.union(["\\Starred"]) : message.labels.subtracting(["\\Starred"])
        }
    }

    public mutating func setLabels(_ numbers: [UInt64], adds: Bool, _ labels: Set<String>) {
        for label in labels where !label.hasPrefix("\\") && adds { _ = create(label) }
        change(numbers) { message in
            message.labels = adds ? message.labels.union(labels) : message.labels.subtracting(labels)
            guard labels.contains("\\Starred") else { return }
            message.flags =
                adds ? message.flags.union(["\\Flagged"]) : message.flags.subtracting(["\\Flagged"])
        }
    }

    /// Out of a mailbox: from Trash and Spam for good, elsewhere only the label goes.
    public mutating func remove(_ numbers: [UInt64], from mailbox: String) {
        if mailbox == Self.trash || mailbox == Self.spam {
            modSeq += 1
            for number in numbers { messages[number] = nil }
        } else if let label = Self.label(of: mailbox) {
            change(numbers) { $0.labels.remove(label) }
        }
        change(numbers) { $0.flags.remove("\\Deleted") }
    }

    private mutating func change(_ numbers: [UInt64], _ body: (inout Message) -> Void) {
        modSeq += 1
        for number in numbers {
            guard var message = messages[number] else { continue }
            body(&message)
            message.modSeq = modSeq
            messages[number] = message
        }
        assignUIDs()
    }

    private mutating func assignUIDs() {
        for number in messages.keys.sorted() {
            guard var message = messages[number] else { continue }
            for mailbox in all {
                if !isIn(message, mailbox) {
                    message.uids[mailbox] = nil
                } else if message.uids[mailbox] == nil {
                    let uid = nextUID(mailbox)
                    nextUIDs[mailbox] = uid + 1
                    message.uids[mailbox] = uid
                }
            }
            messages[number] = message
        }
    }
}
