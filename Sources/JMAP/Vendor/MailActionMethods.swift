import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI

extension RecordType {
    static let mailAction = RecordType(
        "MailAction", .actions, .stored(MailAction.dataType),
        [
            "id", "verb", "mailboxId", "until", "client", "createdAt", "state", "total", "done", "changed",
            "refused",
            "refusal", "kept", "isUndone", "mayUndo",
        ])
}

extension Method {
    static let mailActions: [Method] =
        [
            .get(.mailAction) { context, accountID, asked async throws(MethodError) in
                let actions = context.kernel.actions
                let found = try await context.reading { _ throws(StorageError) in
                    guard let ids = asked.ids(of: MailAction.self) else {
                        return try await actions.all(in: accountID)
                    }
                    var found: [MailAction] = []
                    for id in ids {
                        if let action = try await actions.action(id, in: accountID) { found.append(action) }
                    }
                    return found
                }
                return found.map { ($0.id.rawValue, $0.json) }
            },
            Method(.mailAction, "query", MailActionMethods.query),
            .changes(of: .mailAction),
            .set(.mailAction, with: MailActionSetter()),
        ] + snoozes + reminders
}

enum MailActionMethods {
    /// The ids, newest first, at most `limit`. `mayUndo` filters by whether they can be undone, and `isUpdate` by
    /// whether they were made with `Email/set`.
    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let limit = min(try arguments.unsignedInt("limit") ?? 50, 500)
        var filter = Arguments(try arguments.object("filter") ?? [:])
        let mayUndo = filter.has("mayUndo") ? try filter.bool("mayUndo") : nil
        let isUpdate = filter.has("isUpdate") ? try filter.bool("isUpdate") : nil
        try filter.finish()
        try arguments.finish()
        let state = try await context.state(of: .mailAction, in: account.id)
        let actions = context.kernel.actions
        let all = try await context.reading { _ throws(StorageError) in
            try await actions.all(in: account.id)
        }
        let ids = all.filter { mayUndo == nil || $0.mayBeUndone == mayUndo }
            .filter { isUpdate == nil || ($0.verb == .update) == isUpdate }
            .prefix(limit).map(\.id.rawValue)
        return [
            "accountId": .string(account.id.rawValue), "queryState": .string(state.rawValue),
            "canCalculateChanges": false, "position": 0, "ids": .array(ids.map { .string($0) }),
        ]
    }
}

/// Everything that is done to mail: creating an action does it, and setting its `isUndone` to true undoes it.
private struct MailActionSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let (verb, target) = try await Self.read(object, context, in: accountID)
        let (actions, client) = (context.kernel.actions, context.client.name)
        let action = try await SetError.wrapping {
            try await actions.perform(verb, on: target, in: accountID, client: client)
        }
        return (action.id.rawValue, action.json)
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard patch == ["isUndone": true] else {
            throw .invalidProperty("isUndone", "is all that can be set, and to true")
        }
        let actions = context.kernel.actions
        let action = try await SetError.wrapping {
            guard try await actions.action(Id(id), in: accountID) != nil else { throw SetError.notFound }
            return try await actions.undo(Id(id), in: accountID)
        }
        return .object(action.json)
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("forbidden", "Actions are kept for 30 days, and cannot be destroyed.")
    }

    private static func read(
        _ object: [String: JSONValue], _ context: RequestContext, in accountID: Id<Account>
    ) async throws(SetError) -> (MailVerb, ActionTarget) {
        do throws(MethodError) {
            var arguments = Arguments(object)
            let name = try arguments.required(try arguments.name("verb"), "verb")
            let mailboxID = try id("mailboxId", &arguments, context).map { Id<Mailbox>($0) }
            let until = try arguments.date("until")
            guard let verb = MailVerb(name: name, mailboxID: mailboxID, until: until) else {
                throw .invalidArguments("verb", "is not known, or does not go with “mailboxId” or “until”")
            }
            let target = try await target(&arguments, context, in: accountID)
            try arguments.finish()
            return (verb, target)
        } catch {
            throw SetError("invalidProperties", error.description)
        }
    }

    /// Exactly one of `emailIds`, `threadIds`, `filter` and `sender`.
    private static func target(
        _ arguments: inout Arguments, _ context: RequestContext, in accountID: Id<Account>
    ) async throws(MethodError) -> ActionTarget {
        let place = try id("inMailboxId", &arguments, context).map { Id<Mailbox>($0) }
        let emails = try arguments.ids("emailIds")?.map { context.resolved($0) ?? $0 }
        let threads = try arguments.ids("threadIds")?.map { context.resolved($0) ?? $0 }
        let filter = try arguments.object("filter")
        if let sender = try arguments.string("sender") {
            guard (emails, threads, filter) == (nil, nil, nil), let place else {
                throw .invalidArguments("sender", "goes with “inMailboxId”, and with no other target")
            }
            let senders = context.kernel.senders
            return .emails(
                try await MethodError.composing {
                    try await senders.emails(from: sender, inMailbox: place, of: accountID)
                })
        }
        switch (emails, threads, filter) {
        case (let emails?, nil, nil): return .emails(emails.map { Id($0) })
        case (nil, let threads?, nil): return .threads(threads.map { Id($0) }, in: place)
        case (nil, nil, let filter?):
            let filter = try await EmailFilterReader.read(filter, context, in: accountID)
            guard !filter.tests.isEmpty else { return .matches(filter.stored(), in: place) }
            let query = EmailQuery(in: [accountID], collapseThreads: true)
            return .threads(try await context.hits(of: query, filter).map(\.threadID), in: place)
        default:
            throw .invalidArguments(
                "emailIds", "or threadIds, filter or sender is required, and only one of them is allowed")
        }
    }

    private static func id(
        _ name: String, _ arguments: inout Arguments, _ context: RequestContext
    ) throws(MethodError) -> String? {
        try arguments.name(name).map { context.resolved($0) ?? $0 }
    }
}

extension MailAction {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id.rawValue), "verb": .string(verb.name),
            "mailboxId": verb.mailboxID.map { .string($0.rawValue) } ?? .null,
            "until": verb.until.map { .string(JMAPDate.write($0)) } ?? .null,
            "client": .string(client), "createdAt": .string(JMAPDate.write(createdAt)),
            "state": .string(state.rawValue), "total": .number(Double(total)), "done": .number(Double(done)),
            "changed": .number(Double(changed)), "refused": .number(Double(refused)),
            "refusal": refusal.map { .string($0) } ?? .null, "kept": .number(Double(kept)),
            "isUndone": .bool(state == .undone), "mayUndo": .bool(mayBeUndone),
        ]
    }
}
