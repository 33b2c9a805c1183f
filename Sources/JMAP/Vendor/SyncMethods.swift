import MailKernelAPI
import Store
import Sync

extension Method {
    static let syncStatus = [
        Method("SyncStatus/get", .sync, SyncMethods.getStatus),
        Method("SyncStatus/refresh", .sync, SyncMethods.refresh),
        Method("BlobFetch/get", .sync, FetchMethods.get),
        Method("BlobFetch/set", .sync, FetchMethods.set),
    ]
    static let notices = [
        Method("Notice/get", .sync, SyncMethods.getNotices),
        Method("Notice/changes", .sync) { context, arguments async throws(MethodError) in
            try await context.programAccount(&arguments)
            return try await context.changes(
                of: Notices.dataType, in: nil, named: ProgramAccount.id, &arguments
            ).0
        },
        Method("Notice/set", .sync, SyncMethods.setNotices),
    ]
}

/// The progress of accounts, and problems that occurred in the background.
enum SyncMethods {
    static let statusProperties = [
        "id", "phase", "progress", "mailboxProgress", "problem", "isSignInRefused",
    ]
    static let noticeProperties = ["id", "accountId", "text", "at", "emailId"]

    @Sendable static func getStatus(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: statusProperties)
        try arguments.finish()
        let (statuses, state) = context.kernel.accounts.status.all
        // An account whose plugin is missing is idle, but still listed.
        let records = try await context.accounts().map { account in
            (account.id.rawValue, (statuses[account.id] ?? .idle).json(id: account.id))
        }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue,
            records.filter { asked.ids?.contains($0.0) ?? true })
    }

    @Sendable static func refresh(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try arguments.ids("ids")
        try arguments.finish()
        let ids = try await context.accounts().map(\.id).filter { asked?.contains($0.rawValue) ?? true }
        for id in ids { await context.kernel.accounts.refresh(id) }
        return [
            "accountId": .string(ProgramAccount.id.rawValue), "ids": .array(ids.map { .string($0.rawValue) }),
        ]
    }

    @Sendable static func getNotices(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: noticeProperties)
        try arguments.finish()
        let state = try await context.state(of: Notices.dataType, in: nil)
        let records = try await notices(context).map { ($0.id, $0.notice.json(id: $0.id)) }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue,
            records.filter { asked.ids?.contains($0.0) ?? true })
    }

    /// A notice goes when the user has read it.
    @Sendable static func setNotices(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: Notices.dataType, in: nil)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        let there = Set(try await notices(context).map(\.id))
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError("forbidden", "Only the program creates notices.")
        }
        for (id, _) in asked.updates(context) {
            answer.notUpdated[id] =
                there.contains(id)
                ? SetError("forbidden", "A notice can be destroyed, not changed.") : .notFound
        }
        let notices = context.kernel.notices
        for id in asked.destroys(context) {
            do throws(SetError) {
                guard there.contains(id) else { throw SetError.notFound }
                try await SetError.wrapping { try await notices.forget(id) }
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        let newState = try await context.state(of: Notices.dataType, in: nil)
        return answer.json(in: ProgramAccount.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func notices(
        _ context: RequestContext
    ) async throws(MethodError) -> [(id: String, notice: Notice)] {
        let notices = context.kernel.notices
        return try await context.reading { _ throws(StorageError) in try await notices.forPage() }
    }
}

extension SyncStatus {
    fileprivate func json(id: Id<Account>) -> [String: JSONValue] {
        [
            "id": .string(id.rawValue), "phase": .string(phase.rawValue),
            "progress": progress?.json ?? .null,
            "mailboxProgress": .object(
                Dictionary(mailboxes.map { ($0.key.rawValue, $0.value.json) }) { first, _ in first }),
            "problem": problem.map { .string($0) } ?? .null,
            "isSignInRefused": .bool(isSignInRefused),
        ]
    }
}

extension SyncProgress {
    fileprivate var json: JSONValue {
        ["done": .number(Double(done)), "total": .number(Double(total))]
    }
}

extension Notice {
    fileprivate func json(id: String) -> [String: JSONValue] {
        [
            "id": .string(id), "accountId": .string(accountID.rawValue), "text": .string(text),
            "at": .string(JMAPDate.write(at)),
            "emailId": emailID.map { .string($0.rawValue) } ?? .null,
        ]
    }
}
