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
        }
    ]
}
