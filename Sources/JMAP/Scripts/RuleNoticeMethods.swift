import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// What rules notify of, until it is shown: what a page can show.
    static let ruleNotice = RecordType(
        "RuleNotice", .rules, .stored(RuleNotice.dataType), ["id", "emailId", "rule", "text", "at"])
}

extension Method {
    /// What one request can destroy.
    private static let most = 500

    static let ruleNotices: [Method] = [
        .get(.ruleNotice) { context, accountID, _ async throws(MethodError) in
            let notifications = context.kernel.notifications
            return try await context.reading { _ throws(StorageError) in
                try await notifications.ruleNotices(in: accountID)
            }.prefix(most).map { notice in
                let id = JSONValue.string(notice.emailID.rawValue)
                return (
                    notice.emailID.rawValue,
                    [
                        "id": id, "emailId": id, "rule": .string(notice.rule),
                        "text": notice.text.map { .string($0) } ?? .null,
                        "at": .string(JMAPDate.write(notice.createdAt)),
                    ]
                )
            }
        },
        .set(.ruleNotice, with: RuleNoticeSetter()),
    ]
}

/// A client that shows a notification destroys it first: it is shown once, by the client that could destroy it.
private struct RuleNoticeSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "Only rules notify.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        throw SetError("forbidden", "A notification can be destroyed, not changed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let notifications = context.kernel.notifications
        let isTaken = try await SetError.wrapping {
            try await notifications.takeNotice(of: Id(id), in: accountID)
        }
        guard isTaken else { throw .notFound }
    }
}
