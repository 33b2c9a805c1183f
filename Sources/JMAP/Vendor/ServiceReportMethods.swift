import Accounts
import Kernel
import MailKernelAPI

enum ServiceReportMethods {
    /// What the account's service says about its limits. One that cannot be asked now, and never said, has no quotas.
    @Sendable static func report(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        try arguments.finish()
        let report = await context.kernel.accounts.report(of: account.id) ?? ServiceReport()
        return [
            "accountId": .string(account.id.rawValue), "quotas": .array(report.quotas.map(json)),
            "jmapSessionUrl": report.jmapSessionURL.map { .string($0.absoluteString) } ?? .null,
        ]
    }

    /// As in RFC 9425.
    static func json(of quota: AccountQuota) -> JSONValue {
        [
            "id": .string(quota.id.rawValue), "resourceType": .string(quota.resourceType.rawValue),
            "used": .number(Double(quota.used)), "hardLimit": .number(Double(quota.hardLimit)),
            "softLimit": quota.softLimit.map { .number(Double($0)) } ?? .null,
            "warnLimit": quota.warnLimit.map { .number(Double($0)) } ?? .null,
            "scope": .string(quota.scope.rawValue), "name": .string(quota.name),
            "description": quota.explanation.map { .string($0) } ?? .null,
            "types": .array(quota.types.map { .string($0) }),
        ]
    }
}
