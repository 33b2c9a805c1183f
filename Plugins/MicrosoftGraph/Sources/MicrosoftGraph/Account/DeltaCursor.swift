import FoundationEssentials
import MailKernelAPI

/// How far a folder has been read.
struct DeltaCursor: Sendable, Codable, Hashable {
    enum Phase: String, Sendable, Codable {
        /// Reading all mail, newest first.
        case reading
        /// All was read again; messages that are gone are looked for.
        case cleaning
        /// What is at the link is a change.
        case current
    }

    /// So many marks of messages fit into a cursor.
    static let mostDone = 2_500
    /// More pages than any round has.
    static let mostPages = 200_000

    var phase: Phase
    /// The page to read next; empty for the first.
    var link: String
    /// Whether the kernel had nothing of the folder when reading began.
    var isFirst = false
    /// Marks of the messages of this page that were reported already.
    var done: [String] = []
    /// The last message that was looked at while cleaning.
    var last: String?
    /// How many messages were read.
    var count = 0
    /// How many pages this round has had.
    var pages = 0
    /// Whether the last page had only messages from before the time that is wanted.
    var isPast = false

    init(phase: Phase, link: String) {
        self.phase = phase
        self.link = link
    }

    /// - Throws: `.cursorExpired` for a cursor that this version does not understand.
    init(_ cursor: SyncCursor) throws(AccountError) {
        guard cursor.rawValue.utf8.count <= SyncLimits.cursorBytes,
            let read = try? JSONDecoder().decode(DeltaCursor.self, from: Data(cursor.rawValue.utf8)),
            read.phase == .reading || !read.link.isEmpty
        else { throw .cursorExpired }
        self = read
    }

    var cursor: SyncCursor {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SyncCursor(rawValue: String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self))
    }

    /// The page at another link.
    func at(_ link: String, _ phase: Phase) -> DeltaCursor {
        var next = self
        (next.link, next.phase, next.done, next.last) = (link, phase, [], nil)
        return next
    }

    /// Ids of messages have some 150 bytes; this stands for one within a page (FNV-1a).
    static func mark(_ id: String) -> String { mark(id.utf8) }

    static func mark(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 36)
    }
}
