import Mail
import MailKernelAPI

extension RecordType {
    static let snooze = RecordType("Snooze", .actions, .stored(Snooze.dataType), ["id", "emailId", "until"])
}

extension Method {
    /// When snoozed messages return. The verbs `snooze` and `unsnooze` of MailAction change it.
    static let snoozes: [Method] = [
        .get(.snooze) { context, accountID, asked async throws(MethodError) in
            let store = context.kernel.store
            let all = try await context.reading { _ throws(StorageError) in
                try await Snooze.all(in: accountID, store)
            }
            let ids = asked.ids(of: Email.self).map(Set.init)
            return all.values.filter { ids?.contains($0.emailID) ?? true }
                .sorted { ($0.until, $0.emailID) < ($1.until, $1.emailID) }
                .map { ($0.emailID.rawValue, $0.json) }
        },
        .changes(of: .snooze),
    ]
}

extension Snooze {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(emailID.rawValue), "emailId": .string(emailID.rawValue),
            "until": .string(JMAPDate.write(until)),
        ]
    }
}
