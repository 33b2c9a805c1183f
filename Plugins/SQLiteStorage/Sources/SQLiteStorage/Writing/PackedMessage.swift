import FoundationEssentials
import MailKernelAPI

/// A message made ready for its rows and for the index.
struct PackedMessage: Sendable {
    let email: Email
    let text: SearchableText
    let core: Data
    let headers: Data
    let content: Data
    let indexBytes: Int

    init(_ email: Email, _ body: EmailBody) {
        self.email = email
        text = SearchableText(email, body)
        core = PackedEmail.pack(email)
        headers = PackedBody.packHeaders(body)
        content = PackedBody.packContent(body)
        indexBytes = Usage.indexBytes(of: text)
    }

    var mailBytes: Int { core.count + headers.count + content.count + Usage.rowBytes }

    /// In the order of the columns from `thread` on.
    func values(_ thread: Int64) -> [SQLValue] {
        let header = email.header
        return [
            .integer(thread), .date(email.receivedAt), .date(header.sentAt ?? email.receivedAt),
            .integer(email.size), .flag(email.hasAttachment),
            .flag(AccountCommit.isUnread(email.keywords)), .integer(mailBytes), .integer(indexBytes),
            .text(Self.name(header.from.first)), .text(Self.name(header.to.first)),
            .text(TextFolding.fold(Threading.normalizedSubject(header.subject ?? ""))),
        ]
    }

    private static func name(_ address: EmailAddress?) -> String {
        guard let address else { return "" }
        let name = address.name ?? ""
        return TextFolding.fold(name.isEmpty ? address.email : name)
    }
}

/// The messages of a change set, made ready before the writer is asked for: there is one writer, and the
/// other cores can do this for it.
struct PackedMessages: Sendable {
    /// Fewer are not worth being divided.
    private static let share = 25

    private let messages: [Int: PackedMessage]

    /// - Returns: the message of the change at this place; nil if that puts none.
    subscript(index: Int) -> PackedMessage? { messages[index] }

    init() { messages = [:] }

    init(_ changes: [StorageChange]) async {
        var places: [Int] = []
        for (index, change) in changes.enumerated() {
            if case .putEmail = change { places.append(index) }
        }
        guard places.count > Self.share else {
            messages = Self.pack(places[...], of: changes)
            return
        }
        let all = places
        messages = await withTaskGroup(of: [Int: PackedMessage].self) { group in
            for start in stride(from: 0, to: all.count, by: Self.share) {
                let share = all[start..<min(start + Self.share, all.count)]
                group.addTask { Self.pack(share, of: changes) }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
        }
    }

    private static func pack(_ places: ArraySlice<Int>, of changes: [StorageChange]) -> [Int: PackedMessage] {
        var packed: [Int: PackedMessage] = [:]
        for place in places {
            if case .putEmail(let email, let body) = changes[place] {
                packed[place] = PackedMessage(email, body)
            }
        }
        return packed
    }
}
