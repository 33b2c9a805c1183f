import Kernel
import MailKernelAPI

/// `EmailSubmission/set` (RFC 8621, section 7.5).
enum SubmissionSetMethods {
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        let updates = try arguments.object("onSuccessUpdateEmail") ?? [:]
        let destroys = try arguments.strings("onSuccessDestroyEmail") ?? []
        try arguments.finish()
        let oldState = try await context.state(of: .submission, in: account.id)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        /// The email of each submission that was set with success, under every name the client may use.
        var emails: [String: String] = [:]
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let submission = try await SubmissionCreation(context: context, account: account).create(
                    object)
                context.createdIDs[creationID] = submission.id.rawValue
                var created = submission.json
                for key in object.keys where key != "envelope" { created[key] = nil }
                created["id"] = .string(submission.id.rawValue)
                answer.created[creationID] = .object(created)
                emails["#" + creationID] = submission.emailID.rawValue
                emails[submission.id.rawValue] = submission.emailID.rawValue
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.update {
            do throws(SetError) {
                emails[id] = try await update(Id(id), patch, account, context).emailID.rawValue
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroy {
            do throws(SetError) {
                emails[id] = try await destroy(Id(id), account, context).emailID.rawValue
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        try await changeEmails(updates, destroys, emails, account, &context)
        let newState = try await context.state(of: .submission, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    /// What is to become of the emails of submissions that were set with success.
    private static func changeEmails(
        _ updates: [String: JSONValue], _ destroys: [String], _ emails: [String: String], _ account: Account,
        _ context: inout RequestContext
    ) async throws(MethodError) {
        guard !updates.isEmpty || !destroys.isEmpty else { return }
        var update: [String: JSONValue] = [:]
        for (id, patch) in updates {
            if let email = emails[id] { update[email] = patch }
        }
        let destroy = destroys.compactMap { emails[$0] }.map { JSONValue.string($0) }
        guard !update.isEmpty || !destroy.isEmpty else { return }
        var arguments = Arguments(["update": .object(update), "destroy": .array(destroy)])
        let implicit = try await EmailSetMethods.carryOut(
            SetArguments(&arguments, context), in: account, &context)
        context.implicitAnswers.append(("Email/set", .object(implicit)))
    }

    /// Unsending is all that can be changed; trying a failed one again is this program's own.
    private static func update(
        _ id: Id<EmailSubmission>, _ patch: [String: JSONValue], _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> EmailSubmission {
        let submission = try await stored(id, account, context)
        let changes = patch.filter { submission.json[$0.key] != $0.value }
        if let unknown = changes.keys.sorted().first(where: { !["undoStatus", "sendState"].contains($0) }) {
            throw .invalidProperty(unknown, "cannot be changed")
        }
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        if let value = changes["undoStatus"] {
            guard value == "canceled" else {
                throw .invalidProperty("undoStatus", "can be set to “canceled” only")
            }
            guard submission.undoStatus == .pending,
                try await SetError.wrapping({ try await outbox.cancel(id, in: accountID) }) != nil
            else { throw SetError("cannotUnsend", "It has been sent.") }
        }
        if let value = changes["sendState"] {
            guard value == "queued" else {
                throw .invalidProperty("sendState", "can be set to “queued” only")
            }
            guard try await SetError.wrapping({ try await outbox.retry(id, in: accountID) }) else {
                throw .invalidProperty("sendState", "can be set to “queued” only once sending has failed")
            }
        }
        return submission
    }

    private static func destroy(
        _ id: Id<EmailSubmission>, _ account: Account, _ context: RequestContext
    ) async throws(SetError) -> EmailSubmission {
        let submission = try await stored(id, account, context)
        // A record may go, a message under way may not: destroying must not change its delivery.
        guard submission.undoStatus == .canceled || [.sent, .failed].contains(submission.sendState) else {
            throw SetError("forbidden", "It is still to be sent. Cancel it first.")
        }
        let (outbox, accountID) = (context.kernel.outbox, account.id)
        try await SetError.wrapping { try await outbox.forget(id, in: accountID) }
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
