import Dispatch
import FoundationEssentials
import MailKernelAPI
import StoreRules
import Synchronization

/// A message made ready for its rows and for the index.
struct PackedMessage: Sendable {
    let email: Email
    let text: SearchableText
    let core: Data
    let headers: Data
    let content: Data
    let indexBytes: Int
    let link: SubjectLink?

    init(_ email: Email, _ body: EmailBody) {
        self.email = email
        text = SearchableText(email, body)
        core = PackedEmail.pack(email)
        headers = PackedBody.packHeaders(body)
        content = PackedBody.packContent(body)
        indexBytes = Usage.indexBytes(of: text)
        link = SubjectLink(email.header)
    }

    var mailBytes: Int { core.count + headers.count + content.count + Usage.rowBytes }

    /// In the order of the columns from `thread` on.
    func values(_ thread: Int64) -> [SQLValue] {
        let header = email.header
        return [
            .integer(thread), .date(email.receivedAt), .date(header.sentAt ?? email.receivedAt),
            .integer(email.size), .flag(email.hasAttachment),
            .flag(AccountCommit.isUnread(email.keywords)), .integer(mailBytes), .integer(indexBytes),
            .text(SortText.name(of: header.from)), .text(SortText.name(of: header.to)),
            .text(SortText.subject(of: header)),
        ]
    }
}

/// The messages of a change set. There is one writer: the other cores make them ready while it writes those that are.
struct PackedMessages: Sendable {
    /// Fewer are not worth a separate task.
    private static let share = 25

    private let shares: [Int: PackedShare]

    /// Begins at once.
    init(_ changes: [StorageChange]) {
        let places = changes.indices.filter { if case .putEmail = changes[$0] { true } else { false } }
        var shares: [Int: PackedShare] = [:]
        for some in places.slices(of: Self.share) {
            let share = PackedShare()
            for place in some { shares[place] = share }
            Task { share.pack(some, of: changes) }
        }
        self.shares = shares
    }

    /// The message of the change at this place, which can be had once; nil if it puts none. Waits until it is
    /// ready: only a thread of the store's own may ask.
    func take(_ place: Int) -> PackedMessage? { shares[place]?.take(place) }
}

private final class PackedShare: Sendable {
    private let messages = Mutex<[Int: PackedMessage]>([:])
    private let packing = DispatchGroup()

    init() {
        packing.enter()
    }

    func pack(_ places: ArraySlice<Int>, of changes: [StorageChange]) {
        var packed: [Int: PackedMessage] = [:]
        for place in places {
            if case .putEmail(let email, let body) = changes[place] {
                packed[place] = PackedMessage(email, body)
            }
        }
        messages.withLock { $0 = packed }
        packing.leave()
    }

    func take(_ place: Int) -> PackedMessage? {
        packing.wait()
        return messages.withLock { $0.removeValue(forKey: place) }
    }
}
