public import FoundationEssentials
public import MailKernelAPI

extension IMAPAccountSession {
    public func quotas() async throws(AccountError) -> [AccountQuota] {
        try await withConnection { connection throws(AccountError) -> [AccountQuota] in
            let hasQuotas = await connection.capabilities.contains { $0 == "QUOTA" || $0.hasPrefix("QUOTA=") }
            guard hasQuotas else { return [] }
            let answer = try await connection.perform(.quotas)
            guard answer.isOK else {
                if answer.error.isThrottling { throw answer.error }
                // Some announce it, and keep none for this user.
                return []
            }
            return AccountQuota.all(
                try answer.orThrow().responses.compactMap { response in
                    if case .quota(let root) = response { root } else { nil }
                })
        }
    }

    public func jmapSessionURL() async throws(AccountError) -> URL? {
        try await withConnection { connection throws(AccountError) -> URL? in
            guard await connection.capabilities.contains("JMAPACCESS") else { return nil }
            let answer = try await connection.perform(.jmapAccess)
            guard answer.isOK else { return nil }
            let urls = answer.responses.compactMap { response in
                if case .jmapAccess(let text) = response { URL(string: text) } else { nil }
            }
            return urls.first { $0.scheme?.lowercased() == "https" }
        }
    }
}

extension AccountQuota {
    /// What JSON carries exactly.
    private static let most: UInt64 = 1 << 53 - 1

    static func all(_ roots: [QuotaRoot]) -> [AccountQuota] {
        var ids: Set<Id<AccountQuota>> = []
        return roots.flatMap { root in root.resources.compactMap { AccountQuota($0, of: root.name) } }
            .filter { ids.insert($0.id).inserted }.prefix(100).map { $0 }
    }

    /// Nil for what concerns no mail, and for a limit that is none.
    private init?(_ resource: QuotaRoot.Resource, of root: String) {
        let unit: (type: ResourceType, size: UInt64, data: String)
        switch resource.name {
        // In kibibytes (RFC 9208, section 5.1).
        case "STORAGE": unit = (.octets, 1_024, "Mail")
        case "MESSAGE": unit = (.count, 1, "Mail")
        case "MAILBOX": unit = (.count, 1, "Mailbox")
        default: return nil
        }
        let (limit, isTooLarge) = resource.limit.multipliedReportingOverflow(by: unit.size)
        guard !isTooLarge, (1...Self.most).contains(limit) else { return nil }
        let (used, isMore) = resource.usage.multipliedReportingOverflow(by: unit.size)
        self.init(
            id: Id("\(resource.name)-\(MailboxDirectory.hash(root))"),
            resourceType: unit.type, used: Int(isMore ? Self.most : min(used, Self.most)),
            hardLimit: Int(limit), name: String(root.prefix(200)), types: [unit.data])
    }
}
