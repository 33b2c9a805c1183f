import Kernel
import MailKernelAPI

extension Method {
    static let notifications = [Method("NotificationStatus/get", .notifications, NotificationMethods.get)]
}

/// Whether new mail can be told outside the page.
enum NotificationMethods {
    static let properties = ["id", "canNotify", "reason"]
    private static let id = "singleton"

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        guard asked.ids?.contains(id) ?? true else {
            return try asked.answer(in: ProgramAccount.id, state: "now", [])
        }
        let problem = await context.kernel.notifications.problem
        let object: [String: JSONValue] = [
            "id": .string(id), "canNotify": .bool(problem == nil),
            "reason": problem.map { .string($0) } ?? .null,
        ]
        // The desktop does not report changes; request this again.
        return try asked.answer(in: ProgramAccount.id, state: "now", [(id, object)])
    }
}
