import FoundationEssentials
import MailKernelAPI
import Store

/// When a snoozed message returns to the inbox.
package struct Snooze: Codable, Sendable, Hashable {
    package let emailID: Id<Email>
    package let accountID: Id<Account>
    /// A moment, whatever time zone the computer is in by then.
    package let until: Date
    /// Where it was put. A message that was moved on since does not return.
    let mailboxID: Id<Mailbox>
    /// When the newest message of the conversation was received. A newer one ends the snooze.
    let newest: Date

    package static let dataType = DataType.documents(collection)
    private static let collection = "snooze"

    var key: DocumentKey { Self.key(of: emailID, in: accountID) }

    static func key(of id: Id<Email>, in accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }

    /// All of an account, by their emails.
    package static func all(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [Id<Email>: Snooze] {
        let all = try await store.allDocuments(in: collection, accountID: accountID)
            .compactMap { $0.read(as: Snooze.self) }
        return Dictionary(all.map { ($0.emailID, $0) }) { first, _ in first }
    }
}

extension Snooze {
    private static let few = 500

    /// Those of these emails, and perhaps others. If thousands are snoozed, reading all of them for each step of an
    /// action would take longer and longer.
    static func known(
        of ids: [Id<Email>], in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [Id<Email>: Snooze] {
        let page = try await store.read.documents(
            in: collection, accountID: accountID, after: nil, limit: few)
        var documents = page
        if page.count == few {
            documents = []
            for id in ids {
                if let document = try await store.read.document(key(of: id, in: accountID)) {
                    documents.append(document)
                }
            }
        }
        let found = documents.compactMap { $0.read(as: Snooze.self) }
        return Dictionary(found.map { ($0.emailID, $0) }) { first, _ in first }
    }
}

/// What a step of an action does to the snooze of a message.
struct SnoozeChange: Codable, Sendable, Hashable {
    let emailID: Id<Email>
    let before: Snooze?
    let after: Snooze?

    func change(in accountID: Id<Account>) throws -> StorageChange {
        guard let after else { return .destroyDocument(Snooze.key(of: emailID, in: accountID)) }
        return .putDocument(Document(after.key, value: try JSONValue(encoding: after)))
    }

    var inverse: SnoozeChange { SnoozeChange(emailID: emailID, before: after, after: before) }
}

/// The snoozed messages of a conversation.
struct SnoozedMessages: Sendable {
    let snoozes: [Id<Email>: Snooze]
    let places: Places

    /// Whether the message is still where snoozing has put it. If the service refused the mailbox, that is the archive.
    func isAsleep(_ email: Email) -> Bool {
        if let place = places.snoozed, email.mailboxIDs.contains(place.id) { return true }
        guard let snooze = snoozes[email.id] else { return false }
        if email.mailboxIDs.contains(snooze.mailboxID) { return true }
        guard places.mailboxes[snooze.mailboxID] == nil else { return false }
        return !email.mailboxIDs.isDisjoint(with: places.all([.archive]))
    }

    /// Moves a message back to the inbox.
    func waking(_ email: Email, to inbox: Mailbox) -> EmailUpdate {
        let others = email.mailboxIDs.subtracting([inbox.id])
        let left = Set([places.snoozed?.id, snoozes[email.id]?.mailboxID].compactMap { $0 })
            .union(places.all([.archive]))
        return EmailUpdate(
            email.id, in: email.accountID, addMailboxes: Set([inbox.id]).subtracting(email.mailboxIDs),
            removeMailboxes: places.hasLabels ? others.intersection(left) : others)
    }
}
