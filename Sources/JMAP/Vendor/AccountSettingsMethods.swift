import Accounts
import Kernel
import MailKernelAPI

extension RecordType {
    static let accountSettings = RecordType(
        "AccountSettings", .accounts, of: .program, .stored(.account),
        [
            "id", "pluginId", "address", "displayName", "status", "syncWindowDays", "attachmentCacheLimitMB",
            "addedAt", "serviceAddresses", "isKeptHereOnly",
        ])
}

extension Method {
    /// What the user decides about each account.
    static let accountSettings: [Method] = [
        .get(.accountSettings) { context, _, _ async throws(MethodError) in
            var all: [(id: String, object: [String: JSONValue])] = []
            let accounts = context.kernel.accounts
            for account in try await context.accounts() {
                let object = try await context.reading { _ throws(StorageError) in
                    try await AccountSetter.json(of: account, accounts)
                }
                all.append((account.id.rawValue, object))
            }
            return all
        },
        .changes(of: .accountSettings),
        .set(.accountSettings, with: AccountSetter()),
        Method("AccountSettings/report", .accounts, ServiceReportMethods.report),
    ]
}

private struct AccountSetter: RecordSetter {
    private static let windows = [7, 14, 30, 60, 90]
    private static let cacheLimits = [100, 250, 500, 1000]

    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "Accounts are added with SignIn/set.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        let account = try await Self.account(id, &context)
        let accounts = context.kernel.accounts
        let before = try await SetError.wrapping { try await Self.json(of: account, accounts) }
        let isPaused = before["status"] == "paused"
        let changed = try Self.patched(account, patch, before)
        guard let status = patch["status"], status != before["status"] else {
            try await SetError.wrapping { try await accounts.update(changed) }
            return .null
        }
        try await Self.checkStatus(status, of: account, isPaused: isPaused, accounts)
        try await SetError.wrapping {
            if changed != account { try await accounts.update(changed) }
            guard isPaused else { return try await accounts.pause(account.id) }
            try await accounts.resume(account.id)
        }
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        let account = try await Self.account(id, &context)
        let accounts = context.kernel.accounts
        try await SetError.wrapping { try await accounts.remove(account.id) }
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

    /// Only the user's part of it can be changed: a paused account is resumed, and an active one paused.
    private static func checkStatus(
        _ wanted: JSONValue, of account: Account, isPaused: Bool, _ accounts: Accounts
    ) async throws(SetError) {
        guard wanted.stringValue == (isPaused ? "active" : "paused") else {
            throw .invalidProperty(
                "status", "must be “active” or “paused”; a signed-out account has to sign in")
        }
        guard !isPaused else { return }
        do {
            try await accounts.checkPausable(account)
        } catch let problem as AccountProblem {
            throw .invalidProperty("status", "cannot be “paused”. \(problem)")
        } catch {
            try await SetError.wrapping { throw error }
        }
    }

    private static func patched(
        _ account: Account, _ patch: [String: JSONValue], _ before: [String: JSONValue]
    ) throws(SetError) -> Account {
        var account = account
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
            case "status": continue
            default: throw .invalidProperty(key, "cannot be changed")
            }
        }
        return account
    }

    static func json(
        of account: Account, _ accounts: Accounts
    ) async throws(StorageError) -> [String: JSONValue] {
        let isPaused = try await accounts.isPaused(account)
        let addresses = try await accounts.serviceAddresses(of: account.id)
        let isKeptHereOnly = try await accounts.isKeptHereOnly(account.id)
        return [
            "id": .string(account.id.rawValue), "pluginId": .string(account.pluginID),
            "address": .string(account.address), "displayName": .string(account.displayName),
            "status": .string(isPaused ? "paused" : account.status.rawValue),
            "syncWindowDays": .number(Double(account.syncWindowDays)),
            "attachmentCacheLimitMB": .number(Double(account.attachmentCacheLimit / 1_000_000)),
            "addedAt": .string(JMAPDate.write(account.addedAt)),
            "serviceAddresses": addresses.map { .array($0.map { .string($0) }) } ?? .null,
            "isKeptHereOnly": .bool(isKeptHereOnly),
        ]
    }
}
