import MailKernelAPI

let quotaCases: [ConformanceCase] = [
    accountCase(
        "quotasNameWhatTheyLimit",
        "Quotas have unique ids that JMAP allows, types of data, and numbers that are not negative."
    ) { trial in
        let quotas = try await trial.quotas()
        try expectEqual(Set(quotas.map(\.id)).count, quotas.count, "the number of different quota ids")
        for quota in quotas {
            let numbers = [quota.used, quota.hardLimit, quota.softLimit ?? 0, quota.warnLimit ?? 0]
            try expect(
                numbers.allSatisfy { (0..<1 << 53).contains($0) },
                "quotas: expected numbers from 0 to 2^53 - 1, found \(numbers)")
            try expect(quota.id.isValid, "quotas: expected ids that JMAP allows, found “\(quota.id)”")
            try expect(
                !quota.types.isEmpty && !quota.types.contains(""),
                "quotas: expected the types of data that “\(quota.name)” limits, found \(quota.types)")
        }
    },
    accountCase("quotasKeepTheirIds", "A new session reports the same quotas by the same ids.") { trial in
        let quotas = try await trial.quotas()
        let session = try await trial.anotherSession()
        let again = try await session.quotas()
        await session.close()
        try expectEqual(Set(again.map(\.id)), Set(quotas.map(\.id)), "the ids of the quotas, read again")
    },
]

extension AccountTrial {
    fileprivate func quotas() async throws -> [AccountQuota] {
        let quotas = try await session.quotas()
        if quotas.isEmpty { throw NotApplicable("the service reports no quotas") }
        return quotas
    }
}
