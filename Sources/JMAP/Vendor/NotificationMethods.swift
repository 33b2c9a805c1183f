import Kernel
import MailKernelAPI

extension RecordType {
    /// Whether new mail can be told outside the page. The desktop does not report changes; request this again.
    static let notificationStatus = RecordType(
        "NotificationStatus", .notifications, of: .program, .fixed("now"), ["id", "canNotify", "reason"])
}

extension Method {
    static let notifications: [Method] = [
        .get(.notificationStatus) { context, _, _ in
            let problem = await context.kernel.notifications.problem
            let object: [String: JSONValue] = [
                "id": .string(singletonID), "canNotify": .bool(problem == nil),
                "reason": problem.map { .string($0) } ?? .null,
            ]
            return [(singletonID, object)]
        },
        Method("NewMail/query", .notifications, NewMailMethods.query),
    ]
}

enum NewMailMethods {
    /// What a client announces while its window is visible.
    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let date = try arguments.required(try arguments.date("after"), "after")
        try arguments.finish()
        let notifications = context.kernel.notifications
        let ids = try await context.reading { _ throws(StorageError) in
            try await notifications.newMail(in: account.id, since: date)
        }
        return [
            "accountId": .string(account.id.rawValue), "ids": .array(ids.map { .string($0.rawValue) }),
        ]
    }
}
