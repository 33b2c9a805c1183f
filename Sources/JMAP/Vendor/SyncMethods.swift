import MailKernelAPI
import Store
import Sync

extension RecordType {
    /// The progress of accounts.
    static let syncStatus = RecordType(
        "SyncStatus", .sync, of: .program,
        .running(SyncStatuses.dataType) { kernel, _ in kernel.accounts.status.all.state },
        [
            "id", "phase", "progress", "mailboxProgress", "problem", "isSignInRefused", "remedy", "retryAt",
            "syncedAt", "turn",
        ])
    /// Problems that occurred in the background.
    static let notice = RecordType(
        "Notice", .sync, of: .program, .stored(Notices.dataType),
        ["id", "accountId", "text", "at", "emailId"])
}

extension Method {
    static let syncStatus: [Method] =
        [
            .get(.syncStatus) { context, _, _ async throws(MethodError) in
                let statuses = context.kernel.accounts.status.all.statuses
                // An account whose plugin is missing is idle, but still listed.
                return try await context.accounts().map { account in
                    (account.id.rawValue, (statuses[account.id] ?? .idle).json(id: account.id))
                }
            },
            Method(.syncStatus, "refresh", SyncMethods.refresh),
        ] + fetches
    static let notices: [Method] = [
        .get(.notice) { context, _, _ async throws(MethodError) in
            try await NoticeSetter.notices(context).map { ($0.id, $0.notice.json(id: $0.id)) }
        },
        .changes(of: .notice),
        .set(.notice, with: NoticeSetter()),
    ]
}

enum SyncMethods {
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
}

/// A notice goes when the user has read it.
private struct NoticeSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "Only the program creates notices.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        try await Self.check(id, context)
        throw SetError("forbidden", "A notice can be destroyed, not changed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        try await Self.check(id, context)
        let notices = context.kernel.notices
        try await SetError.wrapping { try await notices.forget(id) }
    }

    private static func check(_ id: String, _ context: RequestContext) async throws(SetError) {
        let notices = context.kernel.notices
        let isThere = try await SetError.wrapping { try await notices.forPage().contains { $0.id == id } }
        guard isThere else { throw .notFound }
    }

    static func notices(
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
            "remedy": remedy.map { .string($0.rawValue) } ?? .null,
            "retryAt": retryAt.map { .string(JMAPDate.write($0)) } ?? .null,
            "syncedAt": syncedAt.map { .string(JMAPDate.write($0)) } ?? .null,
            "turn": turn.map { .string($0.rawValue) } ?? .null,
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
