import FoundationEssentials
import Kernel
import Mail
import MailKernelAPI

extension Method {
    static let mailActions = [
        Method("MailAction/get", .actions, MailActionMethods.get),
        Method("MailAction/query", .actions, MailActionMethods.query),
        Method("MailAction/changes", .actions) { context, arguments async throws(MethodError) in
            try await context.changes(of: MailActionMethods.type, &arguments)
        },
        Method("MailAction/set", .actions, MailActionMethods.set),
    ]
}

/// Everything that is done to mail: creating an action does it, and setting its `isUndone` to true undoes it.
enum MailActionMethods {
    static let type = RecordType(
        name: "MailAction", dataType: MailAction.dataType,
        properties: [
            "id", "verb", "mailboxId", "client", "createdAt", "state", "total", "done", "changed", "refused",
            "refusal", "kept", "isUndone", "mayUndo",
        ])

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: type.properties)
        try arguments.finish()
        let state = try await context.state(of: MailAction.dataType, in: account.id)
        let actions = context.kernel.actions
        let found = try await context.reading { _ throws(StorageError) in
            guard let ids = asked.ids else { return try await actions.all(in: account.id) }
            var found: [MailAction] = []
            for id in ids {
                if let action = try await actions.action(Id(id), in: account.id) { found.append(action) }
            }
            return found
        }
        return try asked.answer(
            in: account.id, state: state.rawValue, found.map { ($0.id.rawValue, $0.json) })
    }

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
        let state = try await context.state(of: MailAction.dataType, in: account.id)
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

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: MailAction.dataType, in: account.id)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let action = try await create(object, in: account, context)
                context.createdIDs[creationID] = action.id.rawValue
                answer.created[creationID] = .object(action.json)
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                answer.updated[id] = .object(try await undo(id, patch, in: account, context).json)
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            answer.notDestroyed[id] = SetError(
                "forbidden", "Actions are kept for 30 days, and cannot be destroyed.")
        }
        let newState = try await context.state(of: MailAction.dataType, in: account.id)
        return answer.json(in: account.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func create(
        _ object: [String: JSONValue], in account: Account, _ context: RequestContext
    ) async throws(SetError) -> MailAction {
        let (verb, target) = try read(object, context)
        let (actions, client) = (context.kernel.actions, context.client.name)
        return try await SetError.wrapping {
            try await actions.perform(verb, on: target, in: account.id, client: client)
        }
    }

    private static func undo(
        _ id: String, _ patch: [String: JSONValue], in account: Account, _ context: RequestContext
    ) async throws(SetError) -> MailAction {
        guard patch == ["isUndone": true] else {
            throw .invalidProperty("isUndone", "is all that can be set, and to true")
        }
        let actions = context.kernel.actions
        return try await SetError.wrapping {
            guard try await actions.action(Id(id), in: account.id) != nil else { throw SetError.notFound }
            return try await actions.undo(Id(id), in: account.id)
        }
    }

    private static func read(
        _ object: [String: JSONValue], _ context: RequestContext
    ) throws(SetError) -> (MailVerb, ActionTarget) {
        do throws(MethodError) {
            var arguments = Arguments(object)
            let name = try arguments.required(try arguments.name("verb"), "verb")
            let mailboxID = try id("mailboxId", &arguments, context).map { Id<Mailbox>($0) }
            guard let verb = MailVerb(name: name, mailboxID: mailboxID) else {
                throw .invalidArguments("verb", "is not known, or does not go with “mailboxId”")
            }
            let target = try target(&arguments, context)
            try arguments.finish()
            return (verb, target)
        } catch {
            throw SetError("invalidProperties", error.description)
        }
    }

    /// Exactly one of `emailIds`, `threadIds` and `filter`.
    private static func target(
        _ arguments: inout Arguments, _ context: RequestContext
    ) throws(MethodError) -> ActionTarget {
        let place = try id("inMailboxId", &arguments, context).map { Id<Mailbox>($0) }
        let emails = try arguments.ids("emailIds")?.map { context.resolved($0) ?? $0 }
        let threads = try arguments.ids("threadIds")?.map { context.resolved($0) ?? $0 }
        let filter = try arguments.object("filter")
        switch (emails, threads, filter) {
        case (let emails?, nil, nil): return .emails(emails.map { Id($0) })
        case (nil, let threads?, nil): return .threads(threads.map { Id($0) }, in: place)
        case (nil, nil, let filter?):
            return .matches(try EmailFilterReader(context: context).read(filter), in: place)
        default:
            throw .invalidArguments(
                "emailIds", "or threadIds or filter is required, and only one of them is allowed")
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
            "client": .string(client), "createdAt": .string(JMAPDate.write(createdAt)),
            "state": .string(state.rawValue), "total": .number(Double(total)), "done": .number(Double(done)),
            "changed": .number(Double(changed)), "refused": .number(Double(refused)),
            "refusal": refusal.map { .string($0) } ?? .null, "kept": .number(Double(kept)),
            "isUndone": .bool(state == .undone), "mayUndo": .bool(mayBeUndone),
        ]
    }
}
