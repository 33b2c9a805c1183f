import FoundationEssentials
import MailKernelAPI
import Store

/// Messages that were added on a service that returned no id: the next sync must recognize them, or they
/// would be duplicated.
package struct AppendedMail: Sendable {
    package static let collection = "appended-mail"

    package let store: MailStore
    package let accountID: Id<Account>

    package init(store: MailStore, accountID: Id<Account>) {
        self.store = store
        self.accountID = accountID
    }

    /// What to note once the service has taken an email without naming it.
    package func expect(_ email: Email, at now: Date) throws -> StorageChange {
        let note = Expectation(messageID: MessageMark.mark(email), since: now)
        return .putDocument(Document(key(email.id), value: try JSONValue(encoding: note)))
    }

    package func isExpecting(anyOf ids: Set<Id<Email>>) async throws(StorageError) -> Bool {
        for id in ids where try await store.read.document(key(id)) != nil { return true }
        return false
    }

    package var isExpectingAny: Bool {
        get async throws(StorageError) {
            try await !store.allDocuments(in: Self.collection, accountID: accountID).isEmpty
        }
    }

    /// The emails that wait for their names, by their marks: those that the service has taken without naming
    /// them, and those that were on their way when the last try ended.
    package func expected(_ pending: [PendingChange]) async throws(StorageError) -> [String: [ExpectedEmail]]
    {
        let documents = try await store.allDocuments(in: Self.collection, accountID: accountID)
        let onTheirWay = pending.flatMap(\.emailsThatMayBeThere)
        let ids = Set(documents.map { Id<Email>($0.key.name) } + onTheirWay)
        guard !ids.isEmpty else { return [:] }
        let noted = Dictionary(
            documents.map { (Id<Email>($0.key.name), Expectation($0)?.messageID) }
        ) { $1 }
        let emails = try await store.read.emails(ids.sorted(), in: accountID).map(\.email)
        let expected = emails.map { email in
            let note = noted[email.id] ?? nil
            let isNoted = noted[email.id] != nil
            return (note ?? MessageMark.mark(email), ExpectedEmail(email, mayReplace: isNoted, pending))
        }
        return Dictionary(grouping: expected, by: \.0).mapValues { $0.map(\.1) }
    }

    package func found(_ id: Id<Email>) -> StorageChange { .destroyDocument(key(id)) }

    /// By what an email is known again, and since when that is waited for.
    package struct Expectation: Codable {
        var messageID: String
        package var since: Date?

        init(messageID: String, since: Date?) {
            self.messageID = messageID
            self.since = since
        }

        package init?(_ document: Document) {
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

    // MARK: What was destroyed on its way

    /// Emails that are being destroyed here and that the service has taken, or may take, without naming them:
    /// there is no name to tell it, so they are destroyed there when they are found.
    func destroying(
        _ emails: [Email], _ pending: [PendingChange], at now: Date
    ) async throws -> [StorageChange] {
        let onTheirWay = Set(pending.flatMap(\.emailsThatMayBeThere))
        var changes: [StorageChange] = []
        for email in emails {
            let document = try await store.read.document(key(email.id))
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
    package func unwanted() async throws -> [Id<Email>: UnwantedMail] {
        let documents = try await store.allDocuments(in: UnwantedMail.collection, accountID: accountID)
        return Dictionary(
            documents.compactMap { document in
                document.read(as: UnwantedMail.self).map { (Id(document.key.name), $0) }
            }
        ) { first, _ in first }
    }

    /// If one email replaces another, the service will report the new one.
    package func expectation(of old: Id<Email>, for new: Id<Email>) async throws(StorageError)
        -> [StorageChange]
    {
        guard let document = try await store.read.document(key(old)) else { return [] }
        return [found(old), .putDocument(Document(key(new), value: document.value))]
    }

    /// The service has a message now: from here on its bytes here are a copy that can be fetched again. What
    /// lives on this machine anyway is not kept twice.
    package func keepAsCopy(_ emailID: Id<Email>, isLocal: Bool) async throws {
        let id = BlobID(email: emailID).id
        if isLocal { return try await store.removeBlob(id, in: accountID) }
        guard let kept = try await store.read.blobInfo(id, in: accountID), kept.retention == .kept else {
            return
        }
        let bytes = StoredBlob(kept, store.read)
        let info = BlobInfo(id: id, accountID: accountID, type: "message/rfc822", retention: .cached)
        let writer = try await store.writeBlob(info)
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

    package func key(_ id: Id<Email>) -> DocumentKey {
        DocumentKey(Self.collection, id.rawValue, accountID: accountID)
    }
}
