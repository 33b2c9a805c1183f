import FoundationEssentials
import MailKernelAPI

/// Messages that were added on a service that returned no id: the next sync must recognize them, or they
/// would be duplicated.
struct AppendedMail: Sendable {
    static let collection = "appended-mail"

    let store: MailStore
    let accountID: Id<Account>

    /// What to note once the service has taken an email without naming it.
    func expect(_ email: Email, at now: Date) throws -> StorageChange {
        let note = Expectation(messageID: MessageMark.mark(email), since: now)
        return .putDocument(Document(key(email.id), value: try JSONValue(encoding: note)))
    }

    func isExpecting(anyOf ids: Set<Id<Email>>) async throws(StorageError) -> Bool {
        for id in ids where try await store.backend.document(key(id)) != nil { return true }
        return false
    }

    var isExpectingAny: Bool {
        get async throws(StorageError) {
            try await !store.allDocuments(in: Self.collection, accountID: accountID).isEmpty
        }
    }

    /// The emails that wait for their names, by their marks: those that the service has taken without naming
    /// them, and those that were on their way when the last try ended.
    func expected(_ pending: [PendingChange]) async throws(StorageError) -> [String: [ExpectedEmail]] {
        let documents = try await store.allDocuments(in: Self.collection, accountID: accountID)
        let onTheirWay = pending.flatMap(\.emailsThatMayBeThere)
        let ids = Set(documents.map { Id<Email>($0.key.name) } + onTheirWay)
        guard !ids.isEmpty else { return [:] }
        let noted = Dictionary(
            documents.map { (Id<Email>($0.key.name), Expectation($0)?.messageID) }
        ) { $1 }
        let emails = try await store.backend.emails(ids.sorted(), in: accountID).map(\.email)
        let expected = emails.map { email in
            let note = noted[email.id] ?? nil
            let isNoted = noted[email.id] != nil
            return (note ?? MessageMark.mark(email), ExpectedEmail(email, mayReplace: isNoted, pending))
        }
        return Dictionary(grouping: expected, by: \.0).mapValues { $0.map(\.1) }
    }

    func found(_ id: Id<Email>) -> StorageChange { .destroyDocument(key(id)) }

    /// By what an email is known again, and since when that is waited for.
    private struct Expectation: Codable {
        var messageID: String
        var since: Date?

        init(messageID: String, since: Date?) {
            self.messageID = messageID
            self.since = since
        }

        init?(_ document: Document) {
            // An earlier version wrote the Message-ID alone.
            if let messageID = document.value.stringValue {
                self.init(messageID: messageID, since: nil)
            } else if let note = document.read(as: Expectation.self) {
                self = note
            } else {
                return nil
            }
        }
    }

    /// How long a service may take to show a message it accepted.
    private static let patience = 60.0

    /// All mail was read: a message accepted long before and missing from its mailbox was moved or deleted by
    /// another client. If it was moved, it was read as a different email.
    ///
    /// - Parameters:
    ///   - began: when the reading started.
    ///   - window: older mail is not reported, so it may still exist.
    ///   - unread: messages in these feeds may still exist.
    /// - Returns: when the next one can be considered gone.
    func settle(
        readFrom began: Date, since window: Date?, except unread: UnreadFeeds
    ) async throws -> Date? {
        var next: Date?
        var overdue: [Id<Email>] = []
        let documents = try await store.allDocuments(in: Self.collection, accountID: accountID)
        guard !documents.isEmpty else { return nil }
        let spared = try await beingCopied()
        for document in documents {
            let id = Id<Email>(document.key.name)
            guard !spared.contains(id) else { continue }
            let waited = Expectation(document)?.since.map { abs(began.timeIntervalSince($0)) }
            if let waited, waited < Self.patience {
                next = min(next ?? .distantFuture, began + (Self.patience - waited))
            } else {
                overdue.append(id)
            }
        }
        guard !overdue.isEmpty else { return next }
        let ids = try await without(unread, overdue)
        try await store.commitNamed(in: accountID) {
            var changes: [StorageChange] = []
            for id in ids where try await store.backend.document(key(id)) != nil {
                changes.append(found(id))
                guard let email = try await store.backend.emails([id], in: accountID).first?.email,
                    window.map({ email.receivedAt >= $0 }) ?? true,
                    try await store.backend.remoteRefs(of: [id], in: accountID).isEmpty
                else { continue }
                changes.append(.destroyEmail(id, in: accountID))
            }
            return changes
        }
        return next
    }

    private func without(_ unread: UnreadFeeds, _ ids: [Id<Email>]) async throws -> [Id<Email>] {
        guard !unread.isEmpty else { return ids }
        let map = try await RemoteMap.load(accountID, from: store)
        let emails = try await store.backend.emails(ids, in: accountID).map(\.email)
        let waiting = Set(emails.filter { unread.concern($0.mailboxIDs, map) }.map(\.id))
        return ids.filter { !waiting.contains($0) }
    }

    /// Drafts and sent copies being uploaded: `ServerCopies` decides about them.
    private func beingCopied() async throws(StorageError) -> Set<Id<Email>> {
        let copies = try await store.allDocuments(in: ServerCopy.collection, accountID: accountID)
            .compactMap { $0.read(as: ServerCopy.self) }
        return Set(copies.filter { $0.transit != nil }.map(\.emailID))
    }

    // MARK: What was destroyed on its way

    /// Emails that are being destroyed here and that the service has taken, or may take, without naming them:
    /// there is no name to tell it, so they are destroyed there when they are found.
    func destroying(
        _ emails: [Email], _ pending: [PendingChange], at now: Date
    ) async throws -> [StorageChange] {
        let onTheirWay = Set(pending.flatMap(\.emailsThatMayBeThere))
        var changes: [StorageChange] = []
        for email in emails {
            let document = try await store.backend.document(key(email.id))
            guard document != nil || onTheirWay.contains(email.id) else { continue }
            // It may have been moved on here since it went to the service.
            let places = pending.compactMap { $0.update(of: email.id) }.reduce(email.mailboxIDs) {
                $0.union($1.removeMailboxes).union($1.addMailboxes)
            }
            let mark = document.flatMap(Expectation.init)?.messageID ?? MessageMark.mark(email)
            let note = UnwantedMail(messageID: mark, mailboxIDs: places, since: now)
            changes += [found(email.id), try note.change(email.id, accountID)]
        }
        return changes
    }

    /// Messages to destroy when they are found.
    func unwanted() async throws -> [Id<Email>: UnwantedMail] {
        let documents = try await store.allDocuments(in: UnwantedMail.collection, accountID: accountID)
        return Dictionary(
            documents.compactMap { document in
                document.read(as: UnwantedMail.self).map { (Id(document.key.name), $0) }
            }
        ) { first, _ in first }
    }

    /// All mail was read: a message destroyed long before and not found never arrived.
    ///
    /// - Parameter began: when the reading started.
    /// - Returns: when the next one can be considered lost.
    func neverArrived(readFrom began: Date) async throws -> Date? {
        var next: Date?
        var overdue: [Id<Email>] = []
        for (id, note) in try await unwanted() {
            let waited = note.since.map { abs(began.timeIntervalSince($0)) } ?? Self.patience
            if waited < Self.patience {
                next = min(next ?? .distantFuture, began + (Self.patience - waited))
            } else {
                overdue.append(id)
            }
        }
        if !overdue.isEmpty { try await store.commit(overdue.map { UnwantedMail.gone($0, accountID) }) }
        return next
    }

    /// If one email replaces another, the service will report the new one.
    func expectation(of old: Id<Email>, for new: Id<Email>) async throws(StorageError) -> [StorageChange] {
        guard let document = try await store.backend.document(key(old)) else { return [] }
        return [found(old), .putDocument(Document(key(new), value: document.value))]
    }

    /// The service has a message now: from here on its bytes here are a copy that can be fetched again. What
    /// lives on this machine anyway is not kept twice.
    func keepAsCopy(_ emailID: Id<Email>, isLocal: Bool) async throws {
        let id = BlobID(email: emailID).id
        if isLocal { return try await store.backend.removeBlob(id, in: accountID) }
        guard let kept = try await store.backend.blobInfo(id, in: accountID), kept.retention == .kept else {
            return
        }
        let bytes = StoredBlob(kept, store.backend)
        let info = BlobInfo(id: id, accountID: accountID, type: "message/rfc822", retention: .cached)
        let writer = try await store.backend.writeBlob(info)
        do {
            try await bytes.write(to: writer)
            try await writer.finish()
        } catch {
            await writer.discard()
            // Destroyed in between, together with its bytes.
            if case .notFound = error as? StorageError { return }
            throw error
        }
    }

    private func key(_ id: Id<Email>) -> DocumentKey {
        DocumentKey(Self.collection, id.rawValue, accountID: accountID)
    }
}
