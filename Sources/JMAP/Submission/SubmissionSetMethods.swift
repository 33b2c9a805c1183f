import Kernel
import MailKernelAPI

extension SubmissionMethods {
    /// `EmailSubmission/set` (RFC 8621, section 7.5).
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        let updates = try arguments.object("onSuccessUpdateEmail") ?? [:]
        let destroys = try arguments.strings("onSuccessDestroyEmail") ?? []
        guard updates.values.allSatisfy({ $0.objectValue != nil }) else {
            throw .invalidArguments("onSuccessUpdateEmail", "must contain objects")
        }
        try arguments.finish()
        var setter = SubmissionSetter(account: account)
        let answer = try await context.set(.submission, in: account.id, asked, with: &setter)
        await changeEmails(updates, destroys, setter.emails, account, &context)
        return answer
    }

    /// The changes to emails of submissions that succeeded.
    private static func changeEmails(
        _ updates: [String: JSONValue], _ destroys: [String], _ emails: [String: String], _ account: Account,
        _ context: inout RequestContext
    ) async {
        guard !updates.isEmpty || !destroys.isEmpty else { return }
        let createdIDs = context.createdIDs
        func email(of id: String) -> String? {
            emails[id.hasPrefix("#") ? createdIDs[String(id.dropFirst())] ?? id : id]
        }
        var update: [String: JSONValue] = [:]
        for (id, patch) in updates {
            if let email = email(of: id) { update[email] = patch }
        }
        let destroy = destroys.compactMap(email).map { JSONValue.string($0) }
        guard !update.isEmpty || !destroy.isEmpty else { return }
        await EmailSetMethods.carryOutImplicitly(
            ["update": .object(update), "destroy": .array(destroy)], in: account, isOfSubmission: true,
            &context)
    }
}

private struct SubmissionSetter: RecordSetter {
    let account: Account
    /// The email of each submission that was set with success.
    private(set) var emails: [String: String] = [:]

    init(account: Account) {
        self.account = account
    }

    mutating func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let creation = SubmissionCreation(context: context, account: account)
        let submission = try await creation.create(object)
        emails[submission.id.rawValue] = submission.emailID.rawValue
        let unknown = submission.json.filter {
            $0.key == "id" || $0.key == "envelope" || object[$0.key] == nil
        }
        return (submission.id.rawValue, unknown)
    }

    mutating func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let (before, after) = try await Self.update(Id(id), patch, account, context)
        emails[id] = before.emailID.rawValue
        return after.changes(from: before, besides: patch)
    }

    mutating func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        emails[id] = try await Self.destroy(Id(id), account, context).emailID.rawValue
    }

    /// Unsending is all that can be changed; trying a failed one again, or giving a scheduled one another time, is this
    /// program's own.
    private static func update(
        _ id: Id<EmailSubmission>, _ patch: [String: JSONValue], _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> (EmailSubmission, EmailSubmission) {
        let submission = try await stored(id, account, context)
        let changes = patch.filter { submission.json[$0.key] != $0.value }
        if let unknown = changes.keys.sorted().first(where: {
            !["undoStatus", "sendState", "sendAt", "isHandedOver"].contains($0)
        }) {
            throw .invalidProperty(unknown, "cannot be changed")
        }
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        if let value = changes["undoStatus"] {
            guard value == "canceled" else {
                throw .invalidProperty("undoStatus", "can only be set to “canceled”")
            }
            guard try await SetError.wrapping({ try await outbox.cancel(id, in: accountID) }) != nil
            else {
                throw SetError(
                    "cannotUnsend", "The message was already sent, or it is not known yet whether it was.")
            }
        }
        if let value = changes["sendAt"] { try await reschedule(id, to: value, account, context) }
        if let value = changes["isHandedOver"] { try await handOver(id, value, account, context) }
        // A submission that waits for its next attempt is already queued, and is sent at once.
        if let value = submission.nextTryAt == nil ? changes["sendState"] : patch["sendState"] {
            guard value == "queued" else {
                throw .invalidProperty("sendState", "can only be set to “queued”")
            }
            guard try await SetError.wrapping({ try await outbox.retry(id, in: accountID) }) else {
                throw .invalidProperty("sendState", "can only be set to “queued” after an attempt has failed")
            }
        }
        return (submission, try await stored(id, account, context))
    }

    private static func handOver(
        _ id: Id<EmailSubmission>, _ value: JSONValue, _ account: Account, _ context: RequestContext
    ) async throws(SetError) {
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        let result = try await SetError.wrapping {
            value == true ? try await outbox.handOver(id, in: accountID) : .notScheduled
        }
        switch result {
        case .done: return
        case .notScheduled:
            throw .invalidProperty(
                "isHandedOver", "can only be set to true, while the message is scheduled")
        case .notHeld: throw SetError("forbidden", FutureRelease.notHeld)
        case .notAsked: throw SetError("serverUnavailable", FutureRelease.notAsked)
        }
    }

    private static func reschedule(
        _ id: Id<EmailSubmission>, to value: JSONValue, _ account: Account, _ context: RequestContext
    ) async throws(SetError) {
        guard let date = value.stringValue.flatMap({ JMAPDate.readUTC($0) }),
            FutureRelease.isPossible(date, at: context.kernel.clock.now)
        else { throw .invalidProperty("sendAt", "must be a time in the future, at most a year away") }
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        guard try await SetError.wrapping({ try await outbox.reschedule(id, in: accountID, to: date) })
        else { throw .invalidProperty("sendAt", "can only be changed while the message is scheduled") }
    }

    private static func destroy(
        _ id: Id<EmailSubmission>, _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> EmailSubmission {
        let submission = try await stored(id, account, context)
        // A record may go, a message under way may not: destroying must not change its delivery.
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        guard try await SetError.wrapping({ try await outbox.forget(id, in: accountID) }) else {
            throw SetError("forbidden", "The message is waiting to be sent. Cancel it first.")
        }
        return submission
    }

    private static func stored(
        _ id: Id<EmailSubmission>, _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> EmailSubmission {
        let (store, accountID) = (context.store, account.id)
        let found = try await SetError.wrapping { try await store.submissions([id], in: accountID).first }
        guard let found else { throw .notFound }
        return found
    }
}

extension EmailSubmission {
    /// What the server changed by itself, beyond what a client asked for (RFC 8620, section 5.3).
    fileprivate func changes(
        from old: EmailSubmission, besides patch: [String: JSONValue]
    ) -> JSONValue {
        let before = old.json
        let changed = json.filter { before[$0.key] != $0.value && patch[$0.key] != $0.value }
        return changed.isEmpty ? .null : .object(changed)
    }
}
