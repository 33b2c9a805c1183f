import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import SuddenEnd

/// The reference store, misbehaving as told. The setting `lacksCare` leaves out the part of that name.
struct MockStorageBackend: StorageBackend {
    let real: any StorageBackend
    let calls: Misbehavior<StorageError>
    private let end: SuddenEnd
    private let lacksCare: Bool

    init(real: any StorageBackend, host: HostServices) {
        self.real = real
        calls = Misbehavior(
            host, failure: .unwritable(reason: "The mock was told to fail."), cancelled: .cancelled)
        end = SuddenEnd(host)
        lacksCare = host.settings["lacksCare"] == true
    }

    var parts: StorageParts {
        let parts = real.parts
        return StorageParts(
            insights: parts.insights.map { MockInsights(real: $0, calls: calls) },
            care: lacksCare ? nil : parts.care.map { MockCare(real: $0, calls: calls) },
            sharing: parts.sharing)
    }

    func open() async throws(StorageError) -> StorageOpening {
        try await calls.call("open") { try await real.open() }
    }

    func close() async {
        await calls.perform(quietly: "close") { await real.close() }
    }

    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        end.come(in: "commit")
        return try await calls.call("commit") {
            try await real.commit(changes)
        } garbage: {
            Garbage.result($0)
        }
    }

    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        try await calls.call("state") {
            try await real.state(of: type, in: accountID)
        } garbage: { _ in
            Garbage.state
        }
    }

    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes {
        try await calls.call("changes") {
            try await real.changes(of: type, in: accountID, since: state, limit: limit)
        } garbage: {
            Garbage.changes($0)
        }
    }

    // MARK: Blobs

    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        try await calls.perform("writeBlob") {
            MockBlobWriter(real: try await real.writeBlob(blob), calls: calls)
        }
    }

    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        try await calls.call("blobInfo") { try await real.blobInfo(id, in: accountID) }
    }

    func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) async throws(StorageError) -> Data {
        try await calls.call("readBlob") {
            try await real.readBlob(id, in: accountID, offset: offset, count: count)
        } garbage: {
            Data($0.map { ~$0 })
        }
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        try await calls.perform("removeBlob") { try await real.removeBlob(id, in: accountID) }
    }

    // MARK: Removing

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        try await calls.perform("removeAccount") { try await real.removeAccount(id) }
    }

    func wipe() async throws(StorageError) {
        try await calls.perform("wipe") { try await real.wipe() }
    }
}

/// Takes a blob's bytes; `writeBlob.write` and `writeBlob.finish` are its calls.
struct MockBlobWriter: BlobWriter {
    let real: any BlobWriter
    let calls: Misbehavior<StorageError>

    func write(_ bytes: Data) async throws {
        try await calls.perform("writeBlob.write") {}
        try await real.write(bytes)
    }

    func finish() async throws {
        try await calls.perform("writeBlob.finish") {}
        try await real.finish()
    }

    func discard() async {
        await real.discard()
    }
}

/// Answers that a broken store could give.
enum Garbage {
    static let state = State(rawValue: "")

    static func result(_ result: CommitResult) -> CommitResult {
        CommitResult(states: result.states.map { CommitResult.StateChange($0.type, in: $0.accountID, state) })
    }

    /// Everything was created, changed and destroyed at once, and there is always more.
    static func changes(_ changes: Changes) -> Changes {
        var changes = changes
        let all = changes.created + changes.updated + changes.destroyed + ["no such id"]
        changes.created = all + all
        changes.updated = all
        changes.destroyed = all
        changes.newState = state
        changes.hasMoreChanges = true
        return changes
    }
}
