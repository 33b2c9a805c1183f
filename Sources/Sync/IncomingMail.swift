import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// Turns a feed's batch into changes of the store.
struct IncomingMail: Sendable {
    let account: Account
    let store: MailStore
    let map: RemoteMap
    /// Contains mail in none of the service's mailboxes.
    let archive: Id<Mailbox>
    let inboxes: Set<Id<Mailbox>>
    /// Who writes from here is not completed to.
    let junk: Id<Mailbox>?
    let dates: PlausibleDate
    /// Local changes that have not been sent: they are applied on top of the service's state.
    let pending: [PendingChange]
    /// Emails of ours without a name, by their marks.
    var candidates: [String: [UnnamedCandidate]] = [:]

    /// With the account as it is now.
    static func current(
        _ account: Account, _ store: MailStore, at now: Date, isLocal: Bool
    ) async throws -> IncomingMail {
        let mailboxes = try await store.read.mailboxes(nil, in: account.id).map(\.mailbox)
        let pending = try await PendingChanges(store: store, accountID: account.id).all().map(\.change)
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        return IncomingMail(
            account: account, store: store, map: try await RemoteMap.load(account.id, from: store),
            archive: mailboxes.first { $0.role == .archive }?.id ?? OwnArchive.id(account.id),
            inboxes: Set(mailboxes.filter { $0.role == .inbox }.map(\.id)),
            junk: mailboxes.first { $0.role == .junk }?.id,
            dates: PlausibleDate(now: now, keepsArrival: isLocal), pending: pending,
            candidates: try await unnamed.candidates(pending))
    }

    /// - Parameters:
    ///   - isAnew: the feed is read from the beginning, so that messages may have other names than before.
    ///   - recognized: messages that were known by other names, at the account's former place.
    func changes(
        for parsed: ParsedBatch, in feed: FeedID, isAnew: Bool,
        _ recognized: [RemoteMessageID: Recognizer.Match] = [:]
    ) async throws -> [StorageChange] {
        let batch = parsed.batch
        let names = batch.messages.map(\.id) + batch.updates.map(\.id) + batch.removed
        var known = try await store.read.emailIDs(for: names, feed: feed, in: account.id)
        let (changes, named) = try await naming(recognized.filter { known[$0.key] == nil }, in: feed)
        known.merge(named) { $1 }
        return try await changes + self.changes(for: parsed, in: feed, isAnew: isAnew, known)
    }

    private func changes(
        for parsed: ParsedBatch, in feed: FeedID, isAnew: Bool, _ known: [RemoteMessageID: Id<Email>]
    ) async throws -> [StorageChange] {
        let batch = parsed.batch
        guard isAnew, !batch.removed.isEmpty else { return try await changes(for: parsed, in: feed, known) }
        let renamed = try await renamed(batch.removed.compactMap { known[$0] }, from: feed)
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        // A note that is settled below is for a message of this very batch.
        return try renamed.map { try unnamed.awaiting($0, at: dates.now) }
            + (await expecting(renamed).changes(for: parsed, in: feed, known))
    }

    private func changes(
        for parsed: ParsedBatch, in feed: FeedID, _ known: [RemoteMessageID: Id<Email>]
    ) async throws -> [StorageChange] {
        let batch = parsed.batch
        // Emails destroyed here are gone, even if the service has not been told.
        let doomed = Set(pending.flatMap { $0.destroyed(in: feed) })
        let new = zip(batch.messages, parsed.messages).filter {
            known[$0.0.id] == nil && !doomed.contains($0.0.id)
        }
        let recognized = try await self.recognized(new, in: feed)
        var changes = added(new.filter { recognized[$0.0.id] == nil }, in: feed)
        let unnamed = UnnamedEmails(store: store, accountID: account.id)
        for (remoteID, email) in recognized.sorted(by: { $0.key < $1.key }) {
            guard !email.isUnwanted else {
                changes += try unnamed.destroyThere(RemoteAddress(feed: feed, id: remoteID), of: email.id)
                continue
            }
            let ref = RemoteRef(emailID: email.id, accountID: account.id, feed: feed, remoteID: remoteID)
            changes += [.putRemote(ref), unnamed.settled(email.id)]
        }
        let own = recognized.filter { !$0.value.isUnwanted }.mapValues(\.id)
        // A batch that comes twice, or a message that was put there by this program.
        let seen = batch.messages.compactMap { message in
            (known[message.id] ?? own[message.id]).map {
                (
                    $0,
                    RemoteUpdate(
                        id: message.id, keywords: message.keywords,
                        mailboxIDs: message.mailboxIDs)
                )
            }
        }
        let updates = batch.updates.compactMap { update in known[update.id].map { ($0, update) } }
        changes += try await updated(seen + updates)
        changes += try await removed(
            batch.removed.compactMap { id in known[id].map { (id, $0) } }, from: feed)
        return changes
    }

    /// New messages that are emails of ours, by what the service calls them.
    private func recognized(
        _ messages: [(RemoteMessage, ParsedBatch.Message)], in feed: FeedID
    ) async throws(StorageError) -> [RemoteMessageID: UnnamedCandidate] {
        guard !candidates.isEmpty else { return [:] }
        var recognized: [RemoteMessageID: UnnamedCandidate] = [:]
        var taken: Set<Id<Email>> = []
        for (message, parsed) in messages {
            let mark = MessageMark.mark(parsed.content.header, size: message.size)
            for candidate in candidates[mark] ?? [] where !taken.contains(candidate.id) {
                guard !candidate.mailboxIDs.isDisjoint(with: local(message.mailboxIDs)),
                    try await !isStillNamed(candidate, in: feed)
                else { continue }
                recognized[message.id] = candidate
                taken.insert(candidate.id)
                break
            }
        }
        return recognized
    }

    /// Whether a message being moved is still in its old place, or a message being added was already found.
    private func isStillNamed(
        _ candidate: UnnamedCandidate, in feed: FeedID
    ) async throws(StorageError) -> Bool {
        guard !candidate.mayReplace, !candidate.isUnwanted else { return false }
        let left = candidate.leaves.compactMap { map.remote($0).flatMap { map.feed(of: $0) } }
        let refs = try await store.read.remoteRefs(of: [candidate.id], in: account.id)
        return refs.contains { $0.feed == feed || left.contains($0.feed) }
    }

    private func added(
        _ messages: [(RemoteMessage, ParsedBatch.Message)], in feed: FeedID
    ) -> [StorageChange] {
        var changes: [StorageChange] = []
        var sightings: [ContactSighting] = []
        for (message, parsed) in messages {
            let email = Email(
                id: parsed.id, accountID: account.id, blobID: BlobID(email: parsed.id).id,
                mailboxIDs: local(message.mailboxIDs), keywords: message.keywords, size: message.size,
                receivedAt: dates.received(message.receivedAt, parsed.content),
                header: dates.header(of: parsed.content),
                hasAttachment: parsed.content.hasAttachment, preview: parsed.content.preview)
            changes.append(.putEmail(email, parsed.content.body))
            changes += parsed.risks.map { [$0] } ?? []
            changes.append(
                .putRemote(
                    RemoteRef(emailID: email.id, accountID: account.id, feed: feed, remoteID: message.id)))
            if !(junk.map(email.mailboxIDs.contains) ?? false) {
                sightings += Self.sightings(in: email, of: account)
            }
        }
        if !sightings.isEmpty { changes.append(.countContacts(sightings, in: account.id)) }
        return changes
    }

    private func local(_ remote: Set<RemoteMailboxID>) -> Set<Id<Mailbox>> {
        let local = Set(remote.compactMap { map.local($0) })
        return local.isEmpty ? [archive] : local
    }

    private func updated(_ updates: [(Id<Email>, RemoteUpdate)]) async throws -> [StorageChange] {
        var changes: [StorageChange] = []
        // A service may report all of its messages.
        for some in updates.slices(of: 1_000) {
            let stored = try await store.read.emails(some.map(\.0), in: account.id).map(\.email)
            let byID = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
            changes += some.compactMap { id, update in byID[id].flatMap { self.change($0, by: update) } }
        }
        return changes
    }

    private func change(_ email: Email, by update: RemoteUpdate) -> StorageChange? {
        var keywords = update.keywords ?? email.keywords
        var mailboxes = update.mailboxIDs.map(local) ?? email.mailboxIDs
        for change in pending.compactMap({ $0.update(of: email.id) }) {
            keywords = keywords.subtracting(change.removeKeywords).union(change.addKeywords)
            mailboxes = mailboxes.subtracting(change.removeMailboxes).union(change.addMailboxes)
        }
        if mailboxes.isEmpty { mailboxes = email.mailboxIDs }
        let difference = EmailUpdate(email, keywords: keywords, mailboxIDs: mailboxes)
        return difference.isEmpty ? nil : .updateEmail(difference)
    }

    /// A message that left a feed is gone only if it is in no other feed.
    private func removed(
        _ messages: [(RemoteMessageID, Id<Email>)], from feed: FeedID
    ) async throws -> [StorageChange] {
        guard !messages.isEmpty else { return [] }
        let refs = try await store.read.remoteRefs(of: messages.map(\.1), in: account.id)
        let held = Set(refs.filter { $0.feed != feed }.map(\.emailID))
        let mailbox = map.feeds.first { $0.id == feed }?.mailboxID.flatMap { map.local($0) }
        let expected = Set(candidates.values.joined().filter { !$0.isUnwanted }.map(\.id))
        return messages.flatMap { remoteID, id -> [StorageChange] in
            let forget = StorageChange.removeRemote(remoteID, feed: feed, in: account.id)
            // A message replaced by its own newer version is not gone.
            if expected.contains(id) { return [forget] }
            guard held.contains(id) else { return [.destroyEmail(id, in: account.id)] }
            guard let mailbox else { return [forget] }
            return [forget, .updateEmail(EmailUpdate(id, in: account.id, removeMailboxes: [mailbox]))]
        }
    }

    /// The addresses that a message shows, but for the user's own (FR-COMP-04).
    static func sightings(in email: Email, of account: Account) -> [ContactSighting] {
        let header = email.header
        let own = account.address.lowercased()
        return (header.from + header.to + header.cc).filter {
            !$0.email.isEmpty && $0.email.lowercased() != own
        }
        .map { ContactSighting(address: $0, seenAt: email.receivedAt) }
    }
}
