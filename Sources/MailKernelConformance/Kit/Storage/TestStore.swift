import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A promise of `StorageBackend`, tried on an open store with the account `home` in it.
func storageCase(
    _ name: String, _ promise: String, _ body: @escaping @Sendable (TestStore) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(.storage, name, promise) { bench in
        let store = try TestStore(bench)
        _ = try await store.backend.open()
        do {
            try await store.commit(Fixture.changes(toAdd: Fixture.home))
            try await body(store)
        } catch {
            await store.backend.close()
            guard let error = error as? StorageError else { throw error }
            throw ConformanceFailure("the store threw .\(error) where it should have answered")
        }
        await store.backend.close()
    }
}

/// The store under test, with short words for what cases do most.
final class TestStore: Sendable {
    private let bench: ConformanceBench
    private let current: Mutex<any StorageBackend>

    init(_ bench: ConformanceBench) throws {
        self.bench = bench
        current = Mutex(try Self.makeBackend(bench))
    }

    var backend: any StorageBackend { current.withLock { $0 } }

    /// The store's insights. Without them, the promise does not apply.
    var insights: any StorageInsights {
        get throws {
            guard let insights = backend.parts.insights else {
                throw NotApplicable("it does not keep the results of models")
            }
            return insights
        }
    }

    /// The store's care. Without it, the promise does not apply.
    var care: any StorageCare {
        get throws {
            guard let care = backend.parts.care else { throw NotApplicable("it does not clean up by itself") }
            return care
        }
    }

    private static func makeBackend(_ bench: ConformanceBench) throws -> any StorageBackend {
        guard case .storage(let backend) = try bench.makeProvider() else {
            throw ConformanceFailure("the plugin's provider is not a StorageBackend")
        }
        return backend
    }

    /// Opens the store in another kernel too. Without sharing, the promise does not apply.
    func beside() async throws -> (sharing: any StorageSharing, other: any StorageBackend) {
        guard let sharing = backend.parts.sharing else {
            throw NotApplicable("only one kernel at a time can open it")
        }
        let other = try Self.makeBackend(bench)
        _ = try await other.open()
        return (sharing, other)
    }

    /// Closes the store and opens it with a new provider, as after a restart of the program.
    @discardableResult func reopen() async throws -> StorageOpening {
        await backend.close()
        let next = try Self.makeBackend(bench)
        current.withLock { $0 = next }
        return try await next.open()
    }

    @discardableResult func commit(_ changes: StorageChange...) async throws -> CommitResult {
        try await commit(changes)
    }

    @discardableResult func commit(_ changes: [StorageChange]) async throws -> CommitResult {
        try await backend.commit(ChangeSet(changes.filter(isKept)))
    }

    /// The kernel commits insights only to stores that keep them.
    func isKept(_ change: StorageChange) -> Bool {
        if case .putInsight = change { backend.parts.insights != nil } else { true }
    }

    /// The insights of these emails; none if the store does not keep any.
    func heldInsights(_ ids: [Id<Email>]) async throws -> [EmailInsight] {
        try await backend.parts.insights?.insights(of: ids, in: Fixture.home) ?? []
    }

    /// What the store finds wrong with itself; nothing if it does not check.
    func findings() async throws -> [String] { try await backend.parts.care?.check() ?? [] }

    /// Puts emails, each with a body that says its id.
    func put(_ emails: Email...) async throws { try await put(emails) }

    func put(_ emails: [Email]) async throws {
        try await commit(emails.map { .putEmail($0, Fixture.body("Body of \($0.id)")) })
    }

    func update(
        _ id: String, add: Set<Keyword> = [], remove: Set<Keyword> = [], into: Set<Id<Mailbox>> = [],
        outOf: Set<Id<Mailbox>> = []
    ) async throws {
        let update = EmailUpdate(
            Id(id), in: Fixture.home, addKeywords: add, removeKeywords: remove, addMailboxes: into,
            removeMailboxes: outOf)
        try await commit(.updateEmail(update))
    }

    func destroy(_ ids: String...) async throws {
        try await commit(ids.map { .destroyEmail(Id($0), in: Fixture.home) })
    }

    func email(_ id: String, in accountID: Id<Account> = Fixture.home) async throws -> StoredEmail {
        guard let email = try await backend.emails([Id(id)], in: accountID).first else {
            throw ConformanceFailure("the email \(id) of \(accountID) is not there")
        }
        return email
    }

    func counts(_ id: Id<Mailbox>) async throws -> MailboxCounts {
        guard let stored = try await backend.mailboxes([id], in: Fixture.home).first else {
            throw ConformanceFailure("the mailbox \(id) is not there")
        }
        return stored.counts
    }

    func state(_ type: DataType) async throws -> State {
        try await backend.state(of: type, in: type == .account ? nil : Fixture.home)
    }

    func changes(_ type: DataType, since state: State, limit: Int = 500) async throws -> Changes {
        try await backend.changes(
            of: type, in: type == .account ? nil : Fixture.home, since: state, limit: limit)
    }

    // MARK: Threads

    /// The emails of an account by thread, each thread as its ids in text order: `a+b c`.
    func threads(of ids: [String], in accountID: Id<Account> = Fixture.home) async throws -> String {
        let emails = try await backend.emails(ids.map { Id($0) }, in: accountID)
        let threads = Dictionary(grouping: emails, by: \.threadID).values
        return threads.map { $0.map(\.email.id.rawValue).sorted().joined(separator: "+") }.sorted()
            .joined(separator: " ")
    }

    // MARK: Queries

    /// The ids that a query finds, in their order: `a b c`.
    func find(
        _ filter: EmailFilter?, sort: [EmailSort] = [EmailSort(.size)], collapse: Bool = false
    ) async throws -> String {
        let query = EmailQuery(
            in: [Fixture.home], filter: filter, sort: sort, collapseThreads: collapse, limit: 10_000)
        return try await backend.queryEmails(query).ids
    }

    // MARK: Blobs

    func writeBlob(
        _ id: String, _ bytes: Data, _ retention: BlobInfo.Retention, of accountID: Id<Account> = Fixture.home
    ) async throws {
        let info = BlobInfo(
            id: Id(id), accountID: accountID, type: "image/png", name: id, retention: retention)
        let writer = try await backend.writeBlob(info)
        try await writer.write(bytes)
        try await writer.finish()
    }

    /// Which of the blobs are there: `a b`.
    func blobs(_ ids: String) async throws -> String {
        var held: [String] = []
        for id in ids.split(separator: " ") {
            let info = try await backend.blobInfo(Id(String(id)), in: Fixture.home)
            if info != nil { held.append(String(id)) }
        }
        return held.joined(separator: " ")
    }
}

extension EmailQueryResult {
    /// The ids in their order, as a failure can show them.
    var ids: String { hits.map(\.emailID.rawValue).joined(separator: " ") }
}

/// Fails unless `body` throws exactly this error.
func expectStorageError(
    _ expected: StorageError, _ what: String, _ body: () async throws -> some Any
) async throws {
    try await expectError(
        "\(what), expected .\(expected)", StorageError.self, where: { $0 == expected }, body)
}

/// Fails unless `body` throws `.notFound`, whatever it names.
func expectNotFound(_ what: String, _ body: () async throws -> some Any) async throws {
    try await expectError("\(what), expected .notFound", StorageError.self, where: \.isNotFound, body)
}

/// Fails unless `body` throws `.invalid`, whatever its reason.
func expectInvalid(_ what: String, _ body: () async throws -> some Any) async throws {
    try await expectError("\(what), expected .invalid", StorageError.self, where: \.isInvalid, body)
}

extension StorageError {
    var isNotFound: Bool { if case .notFound = self { true } else { false } }
    var isInvalid: Bool { if case .invalid = self { true } else { false } }
}
