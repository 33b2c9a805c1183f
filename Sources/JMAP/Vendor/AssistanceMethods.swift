import Intelligence
import MailKernelAPI

extension RecordType {
    static let threadSummary = RecordType(
        "ThreadSummary", .models, .follows(.thread), ["id", "text", "writtenByAI", "isOnRequest"])
}

extension Method {
    static let assistance = [
        Method("Suggestion/get", .models, AssistanceMethods.getSuggestion),
        Method(.threadSummary, "get", AssistanceMethods.getSummaries),
    ]
}

/// A model's results for a message or thread, when the user opens it.
enum AssistanceMethods {
    /// Each may take a model some seconds.
    private static let mostSummaries = 16

    @Sendable static func getSuggestion(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let id = try arguments.required(try arguments.string("emailId"), "emailId")
        try arguments.finish()
        let emailID = Id<Email>(context.resolved(id) ?? id)
        let replies = context.kernel.intelligence.replies
        let suggestion: Replies.Suggestion
        do {
            suggestion = try await replies.suggestion(for: emailID, in: account.id)
        } catch {
            throw MethodError(error)
        }
        return [
            "accountId": .string(account.id.rawValue), "emailId": .string(emailID.rawValue),
            "replies": .array(suggestion.replies.map { .string($0) }),
            "writtenBy": suggestion.source.map { .string($0.rawValue) } ?? .null,
        ]
    }

    @Sendable static func getSummaries(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.threadSummary.properties)
        let onRequest = try arguments.bool("onRequest")
        try arguments.finish()
        guard let ids = asked.ids else { throw .invalidArguments("ids", "must contain ids of threads") }
        guard ids.count <= mostSummaries else { throw .tooManyObjects(mostSummaries) }
        return try await context.get(.threadSummary, in: account.id, asked) {
            context, accountID, _ async throws(MethodError) in
            try await summaries(ids.map { Id($0) }, in: accountID, onRequest: onRequest, context)
        }
    }

    private static func summaries(
        _ ids: [Id<EmailThread>], in accountID: Id<Account>, onRequest: Bool, _ context: RequestContext
    ) async throws(MethodError) -> [Record] {
        let threads = try await context.reading { store throws(StorageError) in
            try await store.threads(ids, in: accountID)
        }
        let summaries = context.kernel.intelligence.summaries
        var records: [Record] = []
        for thread in threads {
            do {
                let finding = try await summaries.summary(of: thread.id, in: accountID, onRequest: onRequest)
                records.append((thread.id.rawValue, finding.json(of: thread.id)))
            } catch {
                throw MethodError(error)
            }
        }
        return records
    }
}

extension Summaries.Finding {
    fileprivate func json(of id: Id<EmailThread>) -> [String: JSONValue] {
        var summary: Summaries.Summary?
        if case .summary(let found) = self { summary = found }
        return [
            "id": .string(id.rawValue), "text": summary.map { .string($0.text) } ?? .null,
            "writtenByAI": .bool(summary?.isWritten ?? false), "isOnRequest": .bool(self == .onRequest),
        ]
    }
}
