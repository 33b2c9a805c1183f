import Kernel
import MailKernelAPI

extension Method {
    static let mailbox = [
        Method("Mailbox/get", .mail, MailboxMethods.get),
        Method("Mailbox/changes", .mail, MailboxMethods.changes),
        Method("Mailbox/query", .mail, MailboxMethods.query),
        Method("Mailbox/queryChanges", .mail, MailboxMethods.queryChanges),
        Method("Mailbox/set", .mail, MailboxMethods.set),
    ]
}

/// RFC 8621, section 2.
enum MailboxMethods {
    static let maxNameBytes = 490

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: RecordType.mailbox.properties)
        try arguments.finish()
        let state = try await context.state(of: .mailbox, in: account.id)
        let mailboxes = try await context.reading { store throws(StorageError) in
            try await store.mailboxes(asked.ids.map { $0.map { Id($0) } }, in: account.id)
        }
        return try asked.answer(
            in: account.id, state: state.rawValue, mailboxes.map { ($0.mailbox.id.rawValue, $0.json) })
    }

    @Sendable static func changes(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        var (answer, changes) = try await context.changes(
            of: .mailbox, in: account.id, named: account.id, &arguments)
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
