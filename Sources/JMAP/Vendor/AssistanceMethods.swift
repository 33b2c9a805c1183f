import Intelligence
import MailKernelAPI

extension Method {
    static let assistance = [
        Method("Suggestion/get", .models, AssistanceMethods.getSuggestion),
        Method("ThreadSummary/get", .models, AssistanceMethods.getSummaries),
    ]
}

/// A model's results for a message or thread, when the user opens it.
enum AssistanceMethods {
    static let summaryProperties = ["id", "text", "writtenByAI", "isOnRequest"]
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
        let asked = try GetArguments(&arguments, context, properties: summaryProperties)
        let onRequest = try arguments.bool("onRequest")
        try arguments.finish()
        guard let ids = asked.ids else { throw .invalidArguments("ids", "must contain ids of threads") }
        guard ids.count <= mostSummaries else { throw .tooManyObjects(mostSummaries) }
        let threads = try await context.reading { store throws(StorageError) in
            try await store.threads(ids.map { Id($0) }, in: account.id)
        }
        let state = try await context.state(of: .thread, in: account.id)
        let summaries = context.kernel.intelligence.summaries
        var records: [(id: String, object: [String: JSONValue])] = []
        for thread in threads {
            let finding: Summaries.Finding
            do {
                finding = try await summaries.summary(of: thread.id, in: account.id, onRequest: onRequest)
            } catch {
                throw MethodError(error)
            }
            var summary: Summaries.Summary?
            if case .summary(let found) = finding { summary = found }
            records.append(
                (
                    thread.id.rawValue,
                    [
                        "id": .string(thread.id.rawValue),
                        "text": summary.map { .string($0.text) } ?? .null,
                        "writtenByAI": .bool(summary?.isWritten ?? false),
                        "isOnRequest": .bool(finding == .onRequest),
                    ]
                ))
        }
        return try asked.answer(in: account.id, state: state.rawValue, records)
    }
}
