import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI

extension RecordType {
    static let reminder = RecordType(
        "Reminder", .actions, .stored(Reminder.dataType),
        ["id", "emailId", "threadId", "submissionId", "until", "sentAt", "returnedAt"])
}

extension Method {
    /// Which sent messages wait for a reply. `Draft/send` and the verbs `remind` and `unremind` of MailAction change it.
    static let reminders: [Method] = [
        .get(.reminder) { context, accountID, asked async throws(MethodError) in
            let store = context.kernel.store
            let ids = asked.ids(of: Reminder.self).map(Set.init)
            return try await context.reading { _ throws(StorageError) in
                let all = try await Reminder.all(in: accountID, store)
                    .filter { ids?.contains($0.id) ?? true }.sorted { ($0.until, $0.id) < ($1.until, $1.id) }
                let stored = try await store.read.emails(all.compactMap(\.emailID), in: accountID)
                let threads = Dictionary(stored.map { ($0.email.id, $0.threadID) }) { first, _ in first }
                return all.map { reminder in
                    (reminder.id.rawValue, reminder.json(threadID: reminder.emailID.flatMap { threads[$0] }))
                }
            }
        },
        .changes(of: .reminder),
    ]
}

extension Reminder {
    /// When the user is reminded of a message that is sent at `sendAt`.
    static func isPossible(_ date: Date, sentAt sendAt: Date?, at now: Date) -> Bool {
        FutureRelease.isPossible(date, at: max(sendAt ?? now, now))
    }

    /// Refuses a time that is not possible, and one reminder too many.
    static func require(
        _ date: Date, sentAt sendAt: Date?, in accountID: Id<Account>, _ context: RequestContext
    ) async throws(MethodError) {
        let kernel = context.kernel
        guard isPossible(date, sentAt: sendAt, at: kernel.clock.now) else {
            throw .invalidArguments("remindAt", "must be after the message is sent, at most a year later")
        }
        let count = try await context.reading { _ throws(StorageError) in
            try await all(in: accountID, kernel.store).count
        }
        guard count < most else { throw MethodError("overQuota", tooMany) }
    }

    fileprivate func json(threadID: Id<EmailThread>?) -> [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return [
            "id": .string(id.rawValue), "emailId": text(emailID?.rawValue),
            "threadId": text(threadID?.rawValue),
            "submissionId": text(submissionID?.rawValue), "until": .string(JMAPDate.write(until)),
            "sentAt": text(sentAt.map { JMAPDate.write($0) }),
            "returnedAt": text((returned?.at).map { JMAPDate.write($0) }),
        ]
    }
}
