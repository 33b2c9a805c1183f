import Compose
import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI

/// What a client asks for with `Draft/send`.
struct SendOrder {
    let id: Id<Draft>
    /// When it is sent; nil for as soon as possible.
    let date: Date?
    /// Whether the service gets it now and sends it then.
    let isHandedOver: Bool
    private let remindAt: Date?

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        let asked = try arguments.required(try arguments.string("id"), "id")
        id = Id(context.resolved(asked) ?? asked)
        date = try arguments.date("sendAt")
        remindAt = try arguments.date("remindAt")
        isHandedOver = try arguments.bool("isHandedOver")
        try arguments.finish()
        guard date.map({ FutureRelease.isPossible($0, at: context.kernel.clock.now) }) ?? true else {
            throw .invalidArguments("sendAt", "must be a time in the future, at most a year away")
        }
        guard date != nil || !isHandedOver else {
            throw .invalidArguments("isHandedOver", "requires “sendAt”")
        }
    }

    /// Refuses what is not possible.
    ///
    /// - Returns: when the user is reminded: as asked for, or as it was saved with the draft.
    func check(in accountID: Id<Account>, _ context: RequestContext) async throws(MethodError) -> Date? {
        let (kernel, id, date) = (context.kernel, id, date)
        var reminder = remindAt
        if reminder == nil {
            reminder = try await MethodError.composing {
                try await kernel.drafts.draft(id, in: accountID)?.content.remindAt
            }
        }
        if let reminder { try await Reminder.require(reminder, sentAt: date, in: accountID, context) }
        let features = try await context.reading { _ throws(StorageError) in
            try await kernel.mail.features(of: accountID)
        }
        guard features.contains(.submission) else {
            throw MethodError("forbiddenToSend", "This account cannot send mail.")
        }
        if isHandedOver, let date, !(await kernel.outbox.canHold(until: date, in: accountID)) {
            throw MethodError("forbidden", "The service cannot hold the message until then.")
        }
        return reminder
    }
}
