import Kernel
import MailKernelAPI

extension RecordType {
    static let mailbox = RecordType(
        "Mailbox", .mail, .stored(.mailbox),
        [
            "id", "name", "parentId", "role", "sortOrder", "totalEmails", "unreadEmails", "totalThreads",
            "unreadThreads", "myRights", "isSubscribed",
        ])
}

extension Method {
    static let mailbox: [Method] = [
        .get(.mailbox) { context, accountID, asked async throws(MethodError) in
            let all = try await context.reading { store throws(StorageError) in
                try await store.mailboxes(nil, in: accountID)
            }
            let roles = all.map(\.mailbox).roles
            let byID = Dictionary(all.map { ($0.mailbox.id, $0) }) { first, _ in first }
            let wanted = asked.ids(of: Mailbox.self).map { $0.compactMap { byID[$0] } } ?? all
            return wanted.map { ($0.mailbox.id.rawValue, $0.json(role: roles[$0.mailbox.id])) }
        },
        Method(.mailbox, "changes", MailboxMethods.changes),
        Method(.mailbox, "query", MailboxMethods.query),
        Method(.mailbox, "queryChanges", MailboxMethods.queryChanges),
        Method(.mailbox, "set", MailboxMethods.set),
    ]
}

/// RFC 8621, section 2.
enum MailboxMethods {
    static let maxNameBytes = 490

    @Sendable static func changes(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        var (answer, changes) = try await context.changes(of: .mailbox, &arguments)
        answer["updatedProperties"] =
            changes.onlyCounts
            ? ["totalEmails", "unreadEmails", "totalThreads", "unreadThreads"] : .null
        return answer
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try MailboxQuery(&arguments, context)
        let window = try QueryWindow(&arguments, maxLimit: 10_000)
        try arguments.finish()
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(nil, in: account.id).map(\.mailbox)
        }
        return try window.answer(
            in: account.id, ids: query.result(of: mailboxes).map(\.id.rawValue), queryState: state.rawValue)
    }

    /// The lists are short, so a new query is better.
    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let query = try MailboxQuery(&arguments, context)
        let asked = try QueryChangesArguments(&arguments)
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(nil, in: account.id).map(\.mailbox)
        }
        return try asked.unchangedOnly(
            in: account.id, state: state.rawValue, total: query.result(of: mailboxes).count)
    }
}
