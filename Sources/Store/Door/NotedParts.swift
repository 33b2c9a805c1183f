import FoundationEssentials
import MailKernelAPI

struct NotedInsights: StorageInsights {
    let inner: any StorageInsights
    let note: StorageNotes

    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]
    {
        let call = note.begin("insights")
        defer { note.end(call) }
        return try await inner.insights(of: emailIDs, in: accountID)
    }

    func emailsWithoutInsight(by modelID: String, in accountID: Id<Account>, limit: Int)
        async throws(StorageError) -> [Id<Email>]
    {
        let call = note.begin("emailsWithoutInsight")
        defer { note.end(call) }
        return try await inner.emailsWithoutInsight(by: modelID, in: accountID, limit: limit)
    }

    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail] {
        let call = note.begin("nearestEmails")
        defer { note.end(call) }
        return try await inner.nearestEmails(to: vector, by: modelID, in: accountIDs, limit: limit)
    }
}

struct NotedCare: StorageCare {
    let inner: any StorageCare
    let note: StorageNotes

    func usage() async throws(StorageError) -> StorageUsage {
        let call = note.begin("usage")
        defer { note.end(call) }
        return try await inner.usage()
    }

    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        let call = note.begin("clearCache")
        defer { note.end(call) }
        return try await inner.clearCache(includingInsights: includingInsights)
    }

    func purge(before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int)
        async throws(StorageError) -> Int
    {
        let call = note.begin("purge")
        defer { note.end(call) }
        return try await inner.purge(before: date, in: accountID, sparing: sparing, limit: limit)
    }

    func rebuildSearchIndex() async throws(StorageError) {
        let call = note.begin("rebuildSearchIndex")
        defer { note.end(call) }
        return try await inner.rebuildSearchIndex()
    }

    func check() async throws(StorageError) -> [String] {
        let call = note.begin("check")
        defer { note.end(call) }
        return try await inner.check()
    }
}

struct NotedSharing: StorageSharing {
    let inner: any StorageSharing
    let note: StorageNotes

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { inner.statesOfOthers() }

    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? {
        let call = note.begin("takeLease")
        defer { note.end(call) }
        return try await inner.takeLease(of: accountID)
    }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {
        let call = note.begin("releaseLease")
        defer { note.end(call) }
        try await inner.releaseLease(lease)
    }
}
