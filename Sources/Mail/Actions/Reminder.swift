import FoundationEssentials
import MailKernelAPI
import Store

/// Returns a conversation to the inbox if a message that the user sent has no reply by a time.
///
///     in the outbox ──→ sent, and waiting ──→ returned
///
/// A reply ends it, as does the end of the message.
package struct Reminder: Codable, Sendable, Hashable {
    /// What the program did when there was no reply in time.
    package struct Return: Codable, Sendable, Hashable {
        package let at: Date
        /// The message that became unread in the inbox.
        package let emailID: Id<Email>
    }

    package let id: Id<Reminder>
    package let accountID: Id<Account>
    /// A moment, whatever time zone the computer is in by then.
    package var until: Date
    /// When the user chose the time.
    var chosenAt: Date
    /// The message; nil until the service's copy of it has arrived.
    package var emailID: Id<Email>?
    /// By which the message is found again when its email is replaced.
    var messageID: String?
    /// What sends the message, while it is in the outbox.
    package var submissionID: Id<EmailSubmission>?
    /// When the message was sent; nil while it is in the outbox.
    package var sentAt: Date?
    package var returned: Return?

    /// An account has so many at most: each is looked at whenever mail changes.
    package static let most = 1000
    package static let tooMany = "An account can have at most 1,000 reminders. Remove some first."

    package static let dataType = DataType.documents(collection)
    private static let collection = "reminder"

    /// For a message that the user is sending.
    package init(of submission: EmailSubmission, until: Date, chosenAt: Date) {
        id = Id(submission.id.rawValue)
        (accountID, self.until, self.chosenAt) = (submission.accountID, until, chosenAt)
        (emailID, submissionID) = (submission.emailID, submission.id)
    }

    /// For a message that was sent.
    init(of email: Email, until: Date, chosenAt: Date) {
        id = Id(email.id.rawValue)
        (accountID, self.until, self.chosenAt) = (email.accountID, until, chosenAt)
        (emailID, messageID, sentAt) = (email.id, email.header.messageID.first, email.receivedAt)
    }

    var key: DocumentKey { Self.key(of: id, in: accountID) }

    static func key(of id: Id<Reminder>, in accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }

    package func change() throws -> StorageChange {
        .putDocument(Document(key, value: try JSONValue(encoding: self)))
    }

    /// Ends the one of a message that is not sent after all.
    package static func removal(
        for id: Id<EmailSubmission>, in accountID: Id<Account>
    ) -> StorageChange {
        .destroyDocument(key(of: Id(id.rawValue), in: accountID))
    }

    package static func all(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [Reminder] {
        try await store.allDocuments(in: collection, accountID: accountID)
            .compactMap { $0.read(as: Reminder.self) }
    }

    /// Those that follow one with this name, in the order of their names.
    static func page(
        after name: String?, limit: Int, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [Document] {
        try await store.read.documents(in: collection, accountID: accountID, after: name, limit: limit)
    }

    /// The one that begins when a submission is sent.
    package static func awaiting(
        _ id: Id<EmailSubmission>, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> Reminder? {
        let found = try await store.read.document(key(of: Id(id.rawValue), in: accountID))
        guard let reminder = found?.read(as: Reminder.self), reminder.sentAt == nil else { return nil }
        return reminder
    }

    /// Begins to wait for a reply. If the message was sent after the chosen time, the wait is as long as it was meant
    /// to be.
    ///
    /// - Parameters:
    ///   - emailID: the copy in Sent; nil if the service makes it.
    ///   - messageID: of the message as it was sent.
    package mutating func begin(emailID: Id<Email>?, messageID: String?, at now: Date) {
        if until <= now { until = now + max(Self.shortest, until.timeIntervalSince(chosenAt)) }
        (self.emailID, self.messageID, submissionID, sentAt) = (emailID, messageID, nil, now)
    }

    private static let shortest = 60.0
}

/// What a step of an action does to a reminder.
struct ReminderChange: Codable, Sendable, Hashable {
    let id: Id<Reminder>
    let before: Reminder?
    let after: Reminder?

    func change(in accountID: Id<Account>) throws -> StorageChange {
        guard let after else { return .destroyDocument(Reminder.key(of: id, in: accountID)) }
        return try after.change()
    }

    /// The way back, unless the reminder was changed again or has ended. What is known of the message by now stays known.
    func inverse(now: Reminder?) -> ReminderChange? {
        guard now?.until == after?.until, (now == nil) == (after == nil) else { return nil }
        guard var restored = before, let now else {
            return ReminderChange(id: id, before: now, after: before)
        }
        (restored.emailID, restored.messageID) = (now.emailID, now.messageID)
        (restored.submissionID, restored.sentAt) = (now.submissionID, now.sentAt)
        return ReminderChange(id: id, before: now, after: restored)
    }
}
