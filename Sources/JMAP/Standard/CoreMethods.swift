import Kernel
import MailKernelAPI

extension Method {
    /// RFC 8620.
    static let core = [
        // Arguments are returned unchanged (section 4).
        Method("Core/echo", .core) { _, arguments throws(MethodError) in arguments.everything() },
        Method("Blob/copy", .core, CoreMethods.copyBlobs),
        Method("PushSubscription/get", .core, CoreMethods.getPushSubscriptions),
        Method("PushSubscription/set", .core, CoreMethods.setPushSubscriptions),
    ]
}

enum CoreMethods {
    /// Section 6.3.
    @Sendable static func copyBlobs(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try context.requireWriting()
        let source = try await context.sourceAccount(&arguments)
        let target = try await context.account(&arguments)
        let ids = try arguments.required(try arguments.ids("blobIds"), "blobIds")
        try arguments.finish()
        var copied: [String: JSONValue] = [:]
        var failed: [String: JSONValue] = [:]
        let blobs = context.kernel.blobs
        for id in ids {
            do {
                let copy = try await SetError.wrapping {
                    try await blobs.copy(Id(id), from: source.id, to: target.id)
                }
                copied[id] = .string(copy.rawValue)
            } catch {
                failed[id] = (error.type == "blobNotFound" ? .notFound : error).json
            }
        }
        return [
            "fromAccountId": .string(source.id.rawValue), "accountId": .string(target.id.rawValue),
            "copied": copied.isEmpty ? .null : .object(copied),
            "notCopied": failed.isEmpty ? .null : .object(failed),
        ]
    }

    /// Section 7.2. There are none: only the event source reports changes.
    @Sendable static func getPushSubscriptions(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let ids = try arguments.ids("ids") ?? []
        _ = try arguments.strings("properties")
        try arguments.finish()
        return ["list": [], "notFound": .array(ids.map { .string(ExactName.restored($0)) })]
    }

    @Sendable static func setPushSubscriptions(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError(
                "forbidden",
                "Push subscriptions are not supported, because nothing leaves this computer. Use the event source or a WebSocket."
            )
        }
        for (id, _) in asked.updates(context) { answer.notUpdated[id] = .notFound }
        for id in asked.destroys(context) { answer.notDestroyed[id] = .notFound }
        return answer.json(in: Id(""), oldState: "", newState: "")
            .filter { !["accountId", "oldState", "newState"].contains($0.key) }
    }
}
