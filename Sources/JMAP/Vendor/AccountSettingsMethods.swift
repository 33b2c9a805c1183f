import Kernel
import MailKernelAPI

extension Method {
    static let accountSettings = [
        Method("AccountSettings/get", .accounts, AccountSettingsMethods.get),
        Method("AccountSettings/changes", .accounts) { context, arguments async throws(MethodError) in
            try await context.programAccount(&arguments)
            return try await context.changes(of: .account, in: nil, named: ProgramAccount.id, &arguments).0
        },
        Method("AccountSettings/set", .accounts, AccountSettingsMethods.set),
    ]
}

/// What the user decides about each account.
enum AccountSettingsMethods {
    static let properties = [
        "id", "pluginId", "address", "displayName", "status", "syncWindowDays", "attachmentCacheLimitMB",
        "addedAt",
    ]
    private static let windows = [7, 14, 30, 60, 90]
    private static let cacheLimits = [100, 250, 500, 1000]

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let state = try await context.state(of: .account, in: nil)
        let accounts = try await context.accounts()
        let wanted =
            asked.ids.map { ids in
                ids.compactMap { id in accounts.first { $0.id.rawValue == id } }
            } ?? accounts
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue, wanted.map { ($0.id.rawValue, json(of: $0)) })
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: .account, in: nil)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError("forbidden", "Accounts are added with SignIn/set.")
        }
        let accounts = context.kernel.accounts
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                let account = try await account(id, &context)
                let changed = try patched(account, patch)
                try await SetError.wrapping { try await accounts.update(changed) }
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            do throws(SetError) {
                let account = try await account(id, &context)
                try await SetError.wrapping { try await accounts.remove(account.id) }
                answer.destroyed.append(id)
            } catch {
                answer.notDestroyed[id] = error
            }
        }
        let newState = try await context.state(of: .account, in: nil)
        return answer.json(in: ProgramAccount.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func account(_ id: String, _ context: inout RequestContext) async throws(SetError)
        -> Account
    {
        do {
            return try await context.account(Id(id))
        } catch {
            throw error == .accountNotFound ? .notFound : SetError(error)
        }
    }

    private static func patched(
        _ account: Account, _ patch: [String: JSONValue]
    ) throws(SetError) -> Account {
        var account = account
        let before = json(of: account)
        for (key, value) in patch.sorted(by: { $0.key < $1.key }) where before[key] != value {
            switch key {
            case "displayName":
                guard let name = value.stringValue, !name.isEmpty, name.utf8.count <= 255 else {
                    throw .invalidProperty(key, "must be a name of 1 to 255 bytes")
                }
                account.displayName = name
            case "syncWindowDays":
                guard let days = value.intValue, windows.contains(days) else {
                    throw .invalidProperty(key, "must be one of 7, 14, 30, 60, 90")
                }
                account.syncWindowDays = days
            case "attachmentCacheLimitMB":
                guard let size = value.intValue, cacheLimits.contains(size) else {
                    throw .invalidProperty(key, "must be one of 100, 250, 500, 1000")
                }
                account.attachmentCacheLimit = size * 1_000_000
            default: throw .invalidProperty(key, "cannot be changed")
            }
        }
        return account
    }

    private static func json(of account: Account) -> [String: JSONValue] {
        [
            "id": .string(account.id.rawValue), "pluginId": .string(account.pluginID),
            "address": .string(account.address), "displayName": .string(account.displayName),
            "status": .string(account.status.rawValue),
            "syncWindowDays": .number(Double(account.syncWindowDays)),
            "attachmentCacheLimitMB": .number(Double(account.attachmentCacheLimit / 1_000_000)),
            "addedAt": .string(JMAPDate.write(account.addedAt)),
        ]
    }
}
