import Accounts
import Digest
import FoundationEssentials
import MailKernelAPI

extension Method {
    /// RFC 9425: what services say about their limits.
    static let quota = [
        Method("Quota/get", .quota, QuotaMethods.get),
        Method("Quota/changes", .quota, QuotaMethods.changes),
        Method("Quota/query", .quota, QuotaMethods.query),
        Method("Quota/queryChanges", .quota, QuotaMethods.queryChanges),
    ]
}

enum QuotaMethods {
    private static let properties = [
        "id", "resourceType", "used", "hardLimit", "warnLimit", "softLimit", "scope", "name", "description",
        "types",
    ]
    private static let mostIDs = 5000

    private enum Condition {
        case name(String)
        case scope(String)
        case resourceType(String)
        case type(String)

        func isMet(by quota: AccountQuota) -> Bool {
            switch self {
            case .name(let name): quota.name.lowercased().contains(name)
            case .scope(let scope): quota.scope.rawValue == scope
            case .resourceType(let type): quota.resourceType.rawValue == type
            case .type(let type): quota.types.contains(type)
            }
        }
    }

    /// The quotas of an account with their state, which is made of them: services have none.
    private static func all(
        of account: Account, _ context: RequestContext
    ) async -> (quotas: [AccountQuota], state: String) {
        let quotas = await context.kernel.accounts.report(of: account.id)?.quotas ?? []
        let sorted = quotas.sorted { $0.id < $1.id }
        let text = JSONWriter.write(.array(sorted.map { .object($0.json) }))
        return (sorted, NamedDigest.of(text, "sha-256")?.prefix(9).hex ?? "none")
    }

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let (quotas, state) = await all(of: account, context)
        return try asked.answer(in: account.id, state: state, quotas.map { ($0.id.rawValue, $0.json) })
    }

    @Sendable static func changes(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let since = try arguments.required(try arguments.name("sinceState"), "sinceState")
        if try arguments.unsignedInt("maxChanges") == 0 {
            throw .invalidArguments("maxChanges", "must be greater than 0")
        }
        try arguments.finish()
        let (_, state) = await all(of: account, context)
        guard since == state else { throw .cannotCalculateChanges }
        return [
            "accountId": .string(account.id.rawValue), "oldState": .string(since),
            "newState": .string(state), "hasMoreChanges": false, "created": [], "updated": [],
            "destroyed": [], "updatedProperties": .null,
        ]
    }

    @Sendable static func query(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let (filter, sort) = try criteria(&arguments)
        let window = try QueryWindow(&arguments, maxLimit: mostIDs)
        try arguments.finish()
        let (quotas, state) = await all(of: account, context)
        let found = matching(filter, sort, quotas)
        return try window.answer(in: account.id, ids: found.map(\.id.rawValue), queryState: state)
    }

    @Sendable static func queryChanges(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let (filter, sort) = try criteria(&arguments)
        let asked = try QueryChangesArguments(&arguments)
        let (quotas, state) = await all(of: account, context)
        return try asked.unchangedOnly(
            in: account.id, state: state, total: matching(filter, sort, quotas).count)
    }

    private static func criteria(
        _ arguments: inout Arguments
    ) throws(MethodError) -> (FilterTree<Condition>, [Comparator]) {
        let filter = try FilterTree<Condition>.read(try arguments.object("filter") ?? [:]) {
            arguments throws(MethodError) in
            var conditions: [Condition] = []
            if let name = try arguments.string("name") { conditions.append(.name(name.lowercased())) }
            if let scope = try arguments.name("scope") { conditions.append(.scope(scope)) }
            if let type = try arguments.name("resourceType") { conditions.append(.resourceType(type)) }
            if let type = try arguments.name("type") { conditions.append(.type(type)) }
            return conditions
        }
        return (filter, try Comparator.read(&arguments, ["name", "used"], of: "Quotas"))
    }

    private static func matching(
        _ filter: FilterTree<Condition>, _ sort: [Comparator], _ quotas: [AccountQuota]
    ) -> [AccountQuota] {
        quotas.filter { quota in filter.matches { $0.isMet(by: quota) } }.sorted { one, other in
            for comparator in sort {
                let (isBefore, isAfter) =
                    comparator.property == "used"
                    ? (one.used < other.used, one.used > other.used)
                    : (one.name < other.name, one.name > other.name)
                if isBefore || isAfter { return isBefore == comparator.isAscending }
            }
            return one.id < other.id
        }
    }
}

extension AccountQuota {
    fileprivate var json: [String: JSONValue] { ServiceReportMethods.json(of: self).objectValue ?? [:] }
}
