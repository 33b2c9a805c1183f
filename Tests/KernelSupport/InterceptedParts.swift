import FoundationEssentials
import MailKernelAPI

struct InterceptedInsights: StorageInsights {
    let inner: any StorageInsights
    let before: InterceptedStorage.Before

    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]
    {
        try await before("insights")
        return try await inner.insights(of: emailIDs, in: accountID)
    }

    func emailsWithoutInsight(by modelID: String, in accountID: Id<Account>, limit: Int)
        async throws(StorageError) -> [Id<Email>]
    {
        try await before("emailsWithoutInsight")
        return try await inner.emailsWithoutInsight(by: modelID, in: accountID, limit: limit)
    }

    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail] {
        try await before("nearestEmails")
        return try await inner.nearestEmails(to: vector, by: modelID, in: accountIDs, limit: limit)
    }
}

struct InterceptedCare: StorageCare {
    let inner: any StorageCare
    let before: InterceptedStorage.Before

    func usage() async throws(StorageError) -> StorageUsage {
        try await before("usage")
        return try await inner.usage()
    }

    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        try await before("clearCache")
        return try await inner.clearCache(includingInsights: includingInsights)
    }

    func purge(before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int)
        async throws(StorageError) -> Int
    {
        try await before("purge")
        return try await inner.purge(before: date, in: accountID, sparing: sparing, limit: limit)
    }

    func rebuildSearchIndex() async throws(StorageError) {
        try await before("rebuildSearchIndex")
        return try await inner.rebuildSearchIndex()
    }

    func check() async throws(StorageError) -> [String] {
        try await before("check")
        return try await inner.check()
    }
}
