import FoundationEssentials
import Kernel
import MailKernelAPI
import Rules

extension RecordType {
    /// What rules notify of, until it is shown.
    static let ruleNotice = RecordType(
        "RuleNotice", .rules, .stored(RuleNotice.dataType), ["id", "emailId", "rule", "text", "at"])
}

extension Method {
    static let ruleNotices: [Method] = [
        .get(.ruleNotice) { context, accountID, _ async throws(MethodError) in
            let store = context.kernel.store
            return try await context.reading { _ throws(StorageError) in
                try await RuleNotice.waiting(in: accountID, store)
            }.map { notice in
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
        let store = context.kernel.store
        let wasThere = try await SetError.wrapping {
            try await RuleNotice.take(Id(id), in: accountID, store)
        }
        guard wasThere else { throw .notFound }
    }
}
