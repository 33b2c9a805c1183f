import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Finds the emails of this device among the messages at an account's new place, by their Message-ID, their size and what
/// else is in their headers. Copies that agree in all of it are told apart by their mailboxes, or not recognized.
actor Recognizer {
    struct Match: Sendable, Hashable {
        let email: Id<Email>
        /// Its name among those that were set aside.
        let setAside: RemoteMessageID
    }

    /// A message of the new place.
    private struct Wanted {
        let id: RemoteMessageID
        let mailboxIDs: Set<RemoteMailboxID>
        let likeness: Likeness
        let sentAt: Date?
    }

    private static let page = 1_000

    private let store: MailStore
    private let accountID: Id<Account>
    /// By hashes of what they are recognized by: there can be very many.
    private var known: [Int: [Match]] = [:]
    private var given: [RemoteAddress: Match] = [:]

    private init(_ accountID: Id<Account>, _ store: MailStore) {
        (self.accountID, self.store) = (accountID, store)
    }

    /// Nil if the account has no former place.
    static func load(_ accountID: Id<Account>, from store: MailStore) async throws -> Recognizer? {
        guard let place = try await FormerPlace.load(accountID, from: store), place.phase != .leaving else {
            return nil
        }
        let recognizer = Recognizer(accountID, store)
        try await recognizer.load()
        return recognizer
    }

    private func load() async throws {
        var last: RemoteMessageID?
        while true {
            let page = try await store.read.remoteIDs(
                feed: FormerPlace.feed, after: last, limit: Self.page, in: accountID)
            guard let end = page.last else { return }
            last = end
            let ids = try await store.read.emailIDs(for: page, feed: FormerPlace.feed, in: accountID)
            let emails = try await store.read.emails(Set(ids.values).sorted(), in: accountID).map(\.email)
            let byID = Dictionary(emails.map { ($0.id, $0) }) { first, _ in first }
            for name in page {
                guard let email = ids[name].flatMap({ byID[$0] }), let likeness = Likeness(email) else {
                    continue
                }
                known[likeness.hashValue, default: []].append(Match(email: email.id, setAside: name))
            }
        }
    }

    /// Asked again about the same message, it answers the same.
    func recognize(_ parsed: ParsedBatch, in feed: FeedID) async throws {
        let wanted = zip(parsed.batch.messages, parsed.messages).compactMap { message, own -> Wanted? in
            let header = own.content.header
            return Likeness(header, size: message.size).map {
                Wanted(id: message.id, mailboxIDs: message.mailboxIDs, likeness: $0, sentAt: header.sentAt)
            }
        }
        try await recognize(wanted, in: feed)
    }

    private func recognize(_ wanted: [Wanted], in feed: FeedID) async throws {
        let candidates = Set(wanted.flatMap { known[$0.likeness.hashValue] ?? [] }.map(\.email))
        guard !candidates.isEmpty else { return }
        let map = try await RemoteMap.load(accountID, from: store)
        var emails: [Id<Email>: Email] = [:]
        for some in candidates.sorted().slices(of: Self.page).map(Array.init) {
            for found in try await store.read.emails(some, in: accountID) {
                emails[found.email.id] = found.email
            }
        }
        // Nothing is waited for from here on, so that no email is given to two messages.
        for message in wanted {
            let address = RemoteAddress(feed: feed, id: message.id)
            let mailboxes = Set(message.mailboxIDs.compactMap { map.local($0) })
            guard given[address] == nil, let match = match(message, emails, in: mailboxes) else { continue }
            given[address] = match
            known[message.likeness.hashValue]?.removeAll { $0 == match }
        }
    }

    /// Nil also if several match.
    private func match(
        _ message: Wanted, _ emails: [Id<Email>: Email], in mailboxes: Set<Id<Mailbox>>
    ) -> Match? {
        let matches = (known[message.likeness.hashValue] ?? []).filter { match in
            guard let email = emails[match.email] else { return false }
            return Likeness(email) == message.likeness
                && (email.header.sentAt == nil || email.header.sentAt == message.sentAt)
        }
        if matches.count == 1 { return matches.first }
        let there = matches.filter { emails[$0.email]?.mailboxIDs.isDisjoint(with: mailboxes) == false }
        return there.count == 1 ? there.first : nil
    }

    func matches(_ ids: [RemoteMessageID], in feed: FeedID) -> [RemoteMessageID: Match] {
        Dictionary(ids.compactMap { id in given[RemoteAddress(feed: feed, id: id)].map { (id, $0) } }) {
            first, _ in first
        }
    }
}

/// What two names of one message have in common.
private struct Likeness: Hashable {
    let messageID: String
    let size: Int
    let subject: String?
    let from: [String]

    init?(_ header: EmailHeader, size: Int) {
        guard let messageID = header.messageID.first else { return nil }
        self.messageID = messageID
        self.size = size
        subject = header.subject
        from = header.from.map(\.email)
    }

    init?(_ email: Email) { self.init(email.header, size: email.size) }
}

extension IncomingMail {
    /// Gives recognized emails the names that they have in this feed. One that was destroyed here meanwhile is destroyed
    /// there, too.
    func naming(
        _ recognized: [RemoteMessageID: Recognizer.Match], in feed: FeedID
    ) async throws -> (changes: [StorageChange], named: [RemoteMessageID: Id<Email>]) {
        guard !recognized.isEmpty else { return ([], [:]) }
        guard var place = try await FormerPlace.load(account.id, from: store), place.phase != .leaving else {
            // The account moves on.
            throw CancellationError()
        }
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        let noted = Set(try await unnamed.all().map(\.id))
        let ids = Set(recognized.values.map(\.email)).sorted()
        let refs = Set(
            try await store.read.remoteRefs(of: ids, in: account.id).filter { $0.feed == FormerPlace.feed }
                .map { Recognizer.Match(email: $0.emailID, setAside: $0.remoteID) })
        var changes: [StorageChange] = []
        var named: [RemoteMessageID: Id<Email>] = [:]
        for (id, match) in recognized.sorted(by: { $0.key < $1.key }) {
            guard refs.contains(match) else {
                if case .unwanted = try await unnamed.note(on: match.email)?.fate {
                    changes += try unnamed.destroyThere(RemoteAddress(feed: feed, id: id), of: match.email)
                }
                continue
            }
            let ref = RemoteRef(emailID: match.email, accountID: account.id, feed: feed, remoteID: id)
            changes += [
                .removeRemote(match.setAside, feed: FormerPlace.feed, in: account.id), .putRemote(ref),
            ]
            if noted.contains(match.email) { changes.append(unnamed.settled(match.email)) }
            named[id] = match.email
        }
        place.recognized += named.count
        return (changes + (named.isEmpty ? [] : [try place.change(for: account.id)]), named)
    }
}
