import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

struct SyntaxErrors: ForwardingStorage {
    let sound: MemoryStorage

    func queryEmails(_ query: EmailQuery) throws(StorageError) -> EmailQueryResult {
        if case .text(let text) = query.filter, text.filter({ $0 == "\"" }).count % 2 == 1 {
            throw .invalid(reason: "unterminated string")
        }
        return try sound.queryEmails(query)
    }
}

struct RawSnippets: ForwardingStorage {
    let sound: MemoryStorage

    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) throws(StorageError) -> [SearchSnippet] {
        try sound.snippets(for: filter, emailIDs: emailIDs, in: accountID).map { snippet in
            var snippet = snippet
            snippet.subject = snippet.subject?.replacing("&amp;", with: "&")
                .replacing("<mark>", with: "<mark><b>").replacing("</mark>", with: "</b></mark>")
            return snippet
        }
    }
}

struct NoCollapsing: ForwardingStorage {
    let sound: MemoryStorage

    func queryEmails(_ query: EmailQuery) throws(StorageError) -> EmailQueryResult {
        var query = query
        query.collapseThreads = false
        return try sound.queryEmails(query)
    }
}

struct BehindTheAnchor: ForwardingStorage {
    let sound: MemoryStorage

    func queryEmails(_ query: EmailQuery) throws(StorageError) -> EmailQueryResult {
        var query = query
        if case .anchor(let id, let offset) = query.window { query.window = .anchor(id, offset: offset &+ 1) }
        return try sound.queryEmails(query)
    }
}

struct ContactsByName: ForwardingStorage {
    let sound: MemoryStorage

    func contacts(matching text: String, limit: Int) throws(StorageError) -> [Contact] {
        let all = try sound.contacts(matching: text, limit: .max)
        return Array(all.sorted { $0.email < $1.email }.prefix(limit))
    }
}

/// Keeps in a second store what the first has forgotten.
final class AllContacts: ForwardingStorage {
    let sound: MemoryStorage
    private let attic = MemoryStorage()

    init(sound: MemoryStorage) {
        self.sound = sound
        _ = attic.open()
    }

    func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        for change in changes.changes {
            switch change {
            case .putAccount: _ = try attic.commit(ChangeSet([change]))
            case .countContacts(let sightings, let id) where sightings.count > 9_999:
                _ = try attic.commit(ChangeSet([.countContacts(Array(sightings.prefix(9_999)), in: id)]))
            default: break
            }
        }
        return try sound.commit(changes)
    }

    func contacts(matching text: String, limit: Int) throws(StorageError) -> [Contact] {
        let found = try sound.contacts(matching: text, limit: limit)
        return found.isEmpty ? try attic.contacts(matching: text, limit: limit) : found
    }
}

struct EagerBlobs: ForwardingStorage {
    private struct Writer: BlobWriter {
        let info: BlobInfo
        let store: MemoryStorage

        func write(_ bytes: Data) async throws {
            let writer = try store.writeBlob(info)
            try await writer.write(bytes)
            try await writer.finish()
        }

        func finish() {}
        func discard() {}
    }

    let sound: MemoryStorage

    func writeBlob(_ blob: BlobInfo) -> any BlobWriter { Writer(info: blob, store: sound) }
}

/// Has no bytes for a moment when a blob is rewritten.
struct GapsInBlobs: ForwardingStorage {
    private struct Writer: BlobWriter {
        let info: BlobInfo
        let store: MemoryStorage
        let real: any BlobWriter

        func write(_ bytes: Data) async throws { try await real.write(bytes) }

        func finish() async throws {
            try store.removeBlob(info.id, in: info.accountID)
            for _ in 0..<200 { await Task.yield() }
            try await real.finish()
        }

        func discard() async { await real.discard() }
    }

    let sound: MemoryStorage

    func writeBlob(_ blob: BlobInfo) throws(StorageError) -> any BlobWriter {
        Writer(info: blob, store: sound, real: try sound.writeBlob(blob))
    }
}

/// Answers what is asked for a blob without a word to the store.
struct NoUse: ForwardingStorage {
    let sound: MemoryStorage

    func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) throws(StorageError) -> Data {
        guard try sound.blobInfo(id, in: accountID) != nil else { throw .notFound("blob") }
        return Data()
    }
}

struct NoUsage: ForwardingStorage {
    let sound: MemoryStorage

    func usage() throws(StorageError) -> StorageUsage {
        let accounts = try sound.usage().accounts.map { account in
            StorageUsage.PerAccount(accountID: account.accountID, mail: 0, attachments: 0, searchIndex: 0)
        }
        return StorageUsage(accounts: accounts, total: 0, clearable: 0)
    }
}

struct NoClearing: ForwardingStorage {
    let sound: MemoryStorage

    func clearCache(includingInsights: Bool) throws(StorageError) -> Int { try sound.usage().clearable }
}

struct PurgesAll: ForwardingStorage {
    let sound: MemoryStorage

    func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) throws(StorageError) -> Int {
        try sound.purge(before: date, in: accountID, sparing: [], limit: limit)
    }
}

struct KeepsAccounts: ForwardingStorage {
    let sound: MemoryStorage

    func removeAccount(_ id: Id<Account>) {}
}

struct NeverCloses: ForwardingStorage {
    let sound: MemoryStorage

    func close() {}
}
