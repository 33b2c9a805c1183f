import FoundationEssentials
import MailKernelAPI

/// How far the account has been read.
struct FeedCursor: Sendable, Codable, Hashable {
    enum Phase: String, Sendable, Codable {
        /// Reading all mail, newest first.
        case reading
        /// All was read again; messages that are gone are looked for.
        case cleaning
        /// Everything after `state` is a change.
        case current
    }

    /// Of the account at the service: ids of another mean other messages.
    var account: String
    var phase: Phase
    /// The state of all mail when reading began, or after the last changes.
    var state: String
    /// Whether the kernel had no mail when reading began: then all of it is new.
    var isFirst = false
    /// The last message that was read, or looked at.
    var last: String?
    /// When that message was received. Reading goes on from there if the message is gone.
    var lastDate: Date?
    /// Set after the last message was gone.
    var before: Date?
    var done = 0
    var total: Int?

    init(account: String, phase: Phase, state: String) {
        self.account = account
        self.phase = phase
        self.state = state
    }

    /// - Throws: `.cursorExpired` for a cursor that this version does not understand.
    init(_ cursor: SyncCursor, account: String) throws(AccountError) {
        guard cursor.rawValue.utf8.count <= SyncLimits.cursorBytes,
            let read = try? JSONDecoder().decode(FeedCursor.self, from: Data(cursor.rawValue.utf8)),
            read.account == account, Self.isState(read.state)
        else { throw .cursorExpired }
        self = read
    }

    var cursor: SyncCursor {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return SyncCursor(rawValue: String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self))
    }

    /// States are kept for months, so they may not be long.
    static func isState(_ text: String) -> Bool { (1...1_000).contains(text.utf8.count) }
}
