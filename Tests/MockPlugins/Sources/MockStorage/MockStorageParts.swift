import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

struct MockInsights: StorageInsights {
    let real: any StorageInsights
    let calls: Misbehavior<StorageError>

    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]
    {
        try await calls.call("insights") {
            try await real.insights(of: emailIDs, in: accountID)
        } garbage: {
            $0 + $0
        }
    }

    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) async throws(StorageError) -> [Id<Email>] {
        try await calls.call("emailsWithoutInsight") {
            try await real.emailsWithoutInsight(by: modelID, in: accountID, limit: limit)
        } garbage: {
            $0 + [Id("no such email")]
        }
    }

    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail] {
        try await calls.call("nearestEmails") {
            try await real.nearestEmails(to: vector, by: modelID, in: accountIDs, limit: limit)
        } garbage: {
            $0 + $0
        }
    }
}

struct MockCare: StorageCare {
    let real: any StorageCare
    let calls: Misbehavior<StorageError>

    func usage() async throws(StorageError) -> StorageUsage {
        try await calls.call("usage") {
            try await real.usage()
        } garbage: { _ in
            StorageUsage(accounts: [], total: -1, clearable: .max)
        }
    }

    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        try await calls.call("clearCache") {
            try await real.clearCache(includingInsights: includingInsights)
        } garbage: {
            -1 - $0
        }
    }

    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        // Never done.
        try await calls.call("purge") {
            try await real.purge(before: date, in: accountID, sparing: sparing, limit: limit)
        } garbage: {
            max(1, $0)
        }
    }

    func rebuildSearchIndex() async throws(StorageError) {
        try await calls.perform("rebuildSearchIndex") { try await real.rebuildSearchIndex() }
    }

    func check() async throws(StorageError) -> [String] {
        try await calls.call("check") {
            try await real.check()
        } garbage: { _ in
            ["", "\u{0}"]
        }
    }
}
