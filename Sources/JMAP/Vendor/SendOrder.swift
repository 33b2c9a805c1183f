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
    /// Whether the service gets it and sends it then.
    let isHandedOver: Bool
    private let remindAt: Date?
    /// Whether the client says when the user is reminded, or that there is to be no reminder.
    private let saysReminder: Bool

    init(_ arguments: inout Arguments, _ context: RequestContext) throws(MethodError) {
        let asked = try arguments.required(try arguments.string("id"), "id")
        id = Id(context.resolved(asked) ?? asked)
        date = try arguments.date("sendAt")
        saysReminder = arguments.has("remindAt")
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
        let (kernel, date) = (context.kernel, date)
        let reminder = saysReminder ? remindAt : try await savedReminder(in: accountID, context)
        if let reminder { try await Reminder.require(reminder, sentAt: date, in: accountID, context) }
        let features = try await context.reading { _ throws(StorageError) in
            try await kernel.mail.features(of: accountID)
        }
        guard features.contains(.submission) else {
            throw MethodError("forbiddenToSend", "This account cannot send mail.")
        }
        if isHandedOver, let date { try await requireHolding(until: date, in: accountID, context) }
        return reminder
    }

    /// As it was saved with the draft; nil if that time has passed: a client that knows nothing of it must be able to send.
    private func savedReminder(
        in accountID: Id<Account>, _ context: RequestContext
    ) async throws(MethodError) -> Date? {
        let (kernel, id) = (context.kernel, id)
        let saved = try await MethodError.composing {
            try await kernel.drafts.draft(id, in: accountID)?.content.remindAt
        }
        return saved.flatMap { $0 > kernel.clock.now ? $0 : nil }
    }

    private func requireHolding(
        until date: Date, in accountID: Id<Account>, _ context: RequestContext
    ) async throws(MethodError) {
        let isHeld: Bool
        do {
            isHeld = try await context.kernel.outbox.canHold(until: date, in: accountID)
        } catch {
            throw MethodError("serverUnavailable", FutureRelease.notAsked)
        }
        if !isHeld { throw MethodError("forbidden", FutureRelease.notHeld) }
    }
}
