import FoundationEssentials
import MailKernelAPI

/// The mail of one account of a `MemoryMailServer`. A value: a reader takes a copy and is not
/// disturbed by writes meanwhile.
struct MemoryMailStore: Sendable {
    /// One thing that happened to a message. Its number is its place in the log, from 1 on.
    struct Entry: Sendable {
        let address: RemoteAddress
        /// The number of the entry that told of the message's coming.
        let arrival: Int
    }

    static let everything = FeedID("everything")
    static let inbox = RemoteMailboxID("inbox")
    static let sent = RemoteMailboxID("sent")
    static let archive = RemoteMailboxID("archive")

    let layout: MemoryMailServer.Layout
    var mailboxes = Self.standardMailboxes
    var messages: [RemoteAddress: MemoryMessage] = [:]
    var log: [Entry] = []
    /// Cursors of an earlier generation are expired.
    var generation = 1
    /// What watchers have still to be told.
    var news: Set<WatchEvent> = []
    private var lastNumber = 0

    init(layout: MemoryMailServer.Layout) {
        self.layout = layout
    }

    private static var standardMailboxes: [RemoteMailbox] {
        let roles: [(String, Mailbox.Role)] = [
            ("Inbox", .inbox), ("Sent", .sent), ("Drafts", .drafts), ("Trash", .trash), ("Junk", .junk),
            ("Archive", .archive),
        ]
        return roles.map { name, role in
            RemoteMailbox(
                id: RemoteMailboxID(role.rawValue), name: name, role: role,
                rights: .all.subtracting([.rename, .delete]))
        }
    }

    var feeds: [Feed] {
        switch layout {
        case .labels: [Feed(id: Self.everything)]
        case .folders:
            mailboxes.map { mailbox in
                Feed(
                    id: feed(of: mailbox.id), mailboxID: mailbox.id,
                    priority: mailbox.role == .inbox ? 0 : 1)
            }
        }
    }

    /// The feed that tells of a mailbox's messages.
    func feed(of mailbox: RemoteMailboxID) -> FeedID {
        layout == .labels ? Self.everything : FeedID(mailbox.rawValue)
    }

    func mailbox(_ id: RemoteMailboxID) -> RemoteMailbox? {
        mailboxes.first { $0.id == id }
    }

    func messages(in mailbox: RemoteMailboxID) -> [MemoryMessage] {
        messages.values.filter { $0.mailboxIDs.contains(mailbox) }
    }

    // MARK: Every change goes through these

    mutating func add(
        _ bytes: Data, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date
    ) -> RemoteAddress {
        let address = RemoteAddress(feed: feed(of: mailbox), id: RemoteMessageID(nextNumber()))
        messages[address] = MemoryMessage(
            address: address, mailboxIDs: [mailbox], keywords: keywords, receivedAt: receivedAt,
            bytes: bytes, arrival: log.count + 1)
        note(address, arrival: log.count + 1)
        return address
    }

    /// Adds a message of an import, unless it is there: then it gets the mailboxes and keywords that it lacks.
    mutating func take(_ message: ImportedMessage, _ bytes: Data) -> ImportOutcome {
        let mailboxIDs = message.mailboxIDs.sorted()
        guard !mailboxIDs.isEmpty, mailboxIDs.allSatisfy({ mailbox($0) != nil }) else {
            return .refused(.notFound)
        }
        let there = messages.values.filter { $0.bytes == bytes }
        for one in there where layout == .labels || !one.mailboxIDs.isDisjoint(with: mailboxIDs) {
            update(one.address) { $0.keywords.formUnion(message.keywords) }
        }
        var address = there.first?.address
        for mailbox in mailboxIDs where !there.contains(where: { $0.mailboxIDs.contains(mailbox) }) {
            if layout == .labels, let address {
                update(address) { $0.mailboxIDs.insert(mailbox) }
            } else {
                address = add(
                    bytes, to: mailbox, keywords: message.keywords, receivedAt: message.receivedAt)
            }
        }
        let told = layout == .labels ? address : nil
        return there.isEmpty ? .added(told) : .alreadyThere(told)
    }

    /// Changes a message, and notes it if that made a difference. Does nothing if it is gone.
    mutating func update(_ address: RemoteAddress, _ change: (inout MemoryMessage) -> Void) {
        guard let old = messages[address] else { return }
        var new = old
        change(&new)
        guard new != old else { return }
        messages[address] = new
        note(address, arrival: old.arrival)
    }

    mutating func remove(_ address: RemoteAddress) {
        guard let gone = messages.removeValue(forKey: address) else { return }
        note(address, arrival: gone.arrival)
    }

    mutating func replaceMailboxes(_ change: (inout [RemoteMailbox]) -> Void) {
        let old = mailboxes
        change(&mailboxes)
        if mailboxes != old { news.insert(.mailboxesChanged) }
    }

    mutating func nextNumber() -> String {
        lastNumber += 1
        return "\(lastNumber)"
    }

    private mutating func note(_ address: RemoteAddress, arrival: Int) {
        log.append(Entry(address: address, arrival: arrival))
        news.insert(.changed(address.feed))
    }
}
