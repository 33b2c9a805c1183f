import Mail
import MailKernelAPI

/// Blobs being fetched from services on request.
enum FetchMethods {
    static let properties = ["id", "mailAccountId", "received", "size"]

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let fetches = context.kernel.blobs.fetches
        let state = await fetches.state
        let statuses = await fetches.statuses.filter { asked.ids?.contains($0.id.rawValue) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue, statuses.map { ($0.id.rawValue, $0.json) })
    }

    /// Destroying ends one.
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let fetches = context.kernel.blobs.fetches
        let oldState = await fetches.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError("forbidden", "A download creates it.")
        }
        for (id, _) in asked.updates(context) {
            answer.notUpdated[id] = SetError("forbidden", "A fetch can only be destroyed.")
        }
        for id in asked.destroys(context) {
            if await fetches.cancel(Id(id)) {
                answer.destroyed.append(id)
            } else {
                answer.notDestroyed[id] = .notFound
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await fetches.state.rawValue)
    }
}

extension BlobFetches.Status {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue), "mailAccountId": .string(accountID.rawValue),
            "received": .number(Double(received)), "size": size.map { .number(Double($0)) } ?? .null,
        ]
    }
}
