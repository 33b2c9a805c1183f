import FoundationEssentials
import MailKernelAPI

/// The one door to the store: reading goes through `read`, and every change is a call here, which publishes the new
/// states to all listeners. Nothing else holds the backend, so nothing can change mail unnoticed.
package struct MailStore: Sendable {
    private let backend: any StorageBackend
    package let read: any MailReader
    /// What models made of emails; empty if the store does not keep it.
    package let insights: any StorageInsights
    package let news: StateNews
    /// The part of the news that other kernels on the same store made.
    package let newsOfOthers = StateNews()
    /// The leases of accounts; nil if this kernel is the only one on the store.
    package private(set) var sharing: (any StorageSharing)?
    /// Those that this kernel holds.
    package private(set) var leases: HeldLeases?
    /// The server that does not respond, if this is a copy of its store. Changes are noted, and merged when it does.
    package private(set) var standsInFor: String?
    /// Named in every commit.
    private var lease: StoreLease?
    private var expected: [ChangeSet.Precondition] = []
    /// The calls of the store that have not returned.
    package let calls = StorageNotes()
    private let others = OtherKernels()

    package init(_ backend: any StorageBackend) {
        self.backend = NotedStorage(inner: backend, note: calls)
        read = self.backend
        insights = self.backend.parts.insights ?? NoInsights()
        news = StateNews()
        sharing = self.backend.parts.sharing
        leases = sharing.map { _ in HeldLeases() }
    }

    // MARK: Without the server

    /// A view of a copy, for the time in which the server of the store does not respond.
    package func standingIn(for server: String) -> MailStore {
        var store = self
        store.standsInFor = server
        store.sharing = NoTurns()
        store.leases = HeldLeases()
        return store
    }

    /// Makes another attempt if a note was made at the same moment.
    private func write(_ set: ChangeSet) async throws(StorageError) -> CommitResult {
        guard standsInFor != nil else { return try await backend.commit(set) }
        while true {
            let noted = try await OfflineNotes(read: read).adding(to: set)
            do throws(StorageError) {
                return try await backend.commit(noted)
            } catch {
                guard case .stateMismatch(OfflineChange.dataType, _) = error else { throw error }
            }
        }
    }

    // MARK: Turns of several kernels

    /// A view of the store for looking after an account: its commits fail with `.leaseLost` once another kernel holds
    /// the lease.
    package func under(_ lease: StoreLease?) -> MailStore {
        var store = self
        store.lease = lease
        return store
    }

    /// A view whose commits fail unless these states are current.
    package func expecting(_ preconditions: [ChangeSet.Precondition]) -> MailStore {
        var store = self
        store.expected += preconditions
        return store
    }

    /// A view under the lease of the current turn; nil if this kernel does not look after the account.
    package func lookingAfter(_ id: Id<Account>) -> MailStore? {
        guard let leases else { return self }
        return leases[id].map { under($0) }
    }

    /// Whether it is this kernel that syncs the account, sends its mail and applies its rules.
    package func looksAfter(_ id: Id<Account>) -> Bool { leases.map { $0[id] != nil } ?? true }

    package func open() async throws(StorageError) -> StorageOpening {
        let opening = try await backend.open()
        if let sharing { others.follow(sharing.statesOfOthers(), [news, newsOfOthers]) }
        return opening
    }

    package func close() async {
        others.stop()
        await backend.close()
    }

    /// Removes everything. The store is then closed.
    package func wipe() async throws(StorageError) {
        others.stop()
        try await backend.wipe()
        guard standsInFor == nil else { throw .unreachable(reason: "the mail on the server was not removed") }
    }

    @discardableResult
    package func commit(
        _ changes: [StorageChange], preconditions: [ChangeSet.Precondition] = []
    ) async throws(StorageError) -> CommitResult {
        if !keepsInsights, changes.contains(where: \.isInsight) {
            throw .unsupported("This store does not keep categories and summaries.")
        }
        let set = ChangeSet(
            changes, preconditions: preconditions + expected, leases: lease.map { [$0] } ?? [])
        do throws(StorageError) {
            let result = try await write(set)
            news.publish(result.states)
            return result
        } catch {
            if case .leaseLost(let lost) = error { leases?.wasLost(lost) }
            throw error
        }
    }

    package func account(_ id: Id<Account>) async throws(StorageError) -> Account? {
        try await read.accounts().first { $0.id == id }
    }

    /// All documents of a collection.
    package func allDocuments(
        in collection: String, accountID: Id<Account>? = nil
    ) async throws(StorageError) -> [Document] {
        var all: [Document] = []
        while true {
            let page = try await read.documents(
                in: collection, accountID: accountID, after: all.last?.key.name, limit: 500)
            all += page
            if page.count < 500 { return all }
        }
    }

    /// Takes old mail off this device, at most `limit` emails, and announces it. Returns how many.
    package func purge(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        guard let care = backend.parts.care else {
            return try await purgeByQuery(before: date, in: accountID, sparing: sparing, limit: limit)
        }
        let count = try await care.purge(before: date, in: accountID, sparing: sparing, limit: limit)
        guard count > 0 else { return 0 }
        for type in [DataType.email, .mailbox, .thread] {
            await publish(type, in: accountID)
        }
        return count
    }

    /// Removes an account with all that is its own.
    package func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        guard standsInFor == nil else {
            throw .unreachable(reason: "accounts can be removed when it responds again")
        }
        try await backend.removeAccount(id)
        await publish(.account, in: nil)
    }

    // MARK: Blobs

    /// Starts a new blob, which is visible when it is finished.
    package func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        try await backend.writeBlob(blob)
    }

    /// Forgets a blob's bytes, if they are here.
    package func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        try await backend.removeBlob(id, in: accountID)
    }

    // MARK: Parts that a store may lack

    /// Where the mail is.
    package var place: StoragePlace { backend.place }

    /// Whether the store can look for damage.
    package var canCheck: Bool { backend.parts.care != nil }

    package var keepsInsights: Bool { backend.parts.insights != nil }

    /// How much room each account takes.
    package func usage() async throws(StorageError) -> StorageUsage {
        try await care(else: "This store does not report how much space it uses.").usage()
    }

    /// Removes cached blobs and insights that can be made again. Returns how many bytes became free.
    package func clearCache() async throws(StorageError) -> Int {
        try await care(else: "This store has no cache that can be cleared.").clearCache(
            includingInsights: true)
    }

    /// Looks for damage in the whole store. Returns a sentence for each defect.
    package func check() async throws(StorageError) -> [String] {
        try await care(else: "This store cannot be checked.").check()
    }

    package func rebuildSearchIndex() async throws(StorageError) {
        try await care(else: "The search index of this store cannot be rebuilt.").rebuildSearchIndex()
    }

    private func care(else missing: String) throws(StorageError) -> any StorageCare {
        guard let care = backend.parts.care else { throw .unsupported(missing) }
        return care
    }

    /// Tells of what has happened. Where the state it has led to cannot be read, any other has listeners ask.
    private func publish(_ type: DataType, in accountID: Id<Account>?) async {
        let state: State
        do {
            state = try await read.state(of: type, in: accountID)
        } catch {
            state = State(rawValue: UUID().uuidString)
        }
        news.publish([CommitResult.StateChange(type, in: accountID, state)])
    }
}
