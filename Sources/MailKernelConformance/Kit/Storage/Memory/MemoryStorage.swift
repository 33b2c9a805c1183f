import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// The reference store: what every `StorageBackend` promises, in memory, made to be read.
///
/// What it holds lives on a `Disk`, an object that outlives the store. It is meant for tests and for
/// comparison with other stores; mail that is only in memory is lost with the process.
public final class MemoryStorage: StorageBackend, StorageInsights, StorageCare, StorageSharing {
    let disk: Disk
    let queries = QueryMemory()
    /// Tells stores on one disk apart.
    let kernelID = UUID()
    private let isShared: Bool
    private let isOpen = Mutex(false)

    /// A store on `disk`, closed until it is opened.
    ///
    /// - Parameter isShared: whether it offers `StorageSharing`.
    public init(on disk: Disk = Disk(), isShared: Bool = true) {
        self.disk = disk
        self.isShared = isShared
    }

    public var parts: StorageParts {
        StorageParts(insights: self, care: self, sharing: isShared ? self : nil)
    }

    public func open() -> StorageOpening {
        isOpen.withLock { $0 = true }
        return disk.format() ? .created : .ready
    }

    public func close() {
        isOpen.withLock { $0 = false }
        disk.kernels.leave(kernelID)
    }

    public func commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult {
        try commit { contents throws(StorageError) in
            try disk.kernels.check(changes.leases)
            return try StoreCommit.apply(changes, to: &contents)
        }
    }

    /// Changes the store and tells other kernels.
    @discardableResult
    func commit(
        _ body: (inout StoreContents) throws(StorageError) -> CommitResult
    ) throws(StorageError) -> CommitResult {
        guard isOpen.withLock({ $0 }) else { throw .closed }
        return try disk.change(body) { disk.kernels.tell($0.states, by: kernelID) }
    }

    public func state(of type: DataType, in accountID: Id<Account>?) throws(StorageError) -> State {
        let contents = try contents()
        return contents.state(try contents.history(of: type, in: accountID).current)
    }

    public func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) throws(StorageError) -> Changes {
        guard limit > 0 else { throw .invalid(reason: "changes were requested with a limit of \(limit)") }
        let contents = try contents()
        let history = try contents.history(of: type, in: accountID)
        guard let number = contents.number(of: state) else { throw .cannotCalculateChanges }
        return try history.changes(since: number, limit: limit, state: contents.state)
    }

    /// The store as it is now; what is committed later does not show in it.
    func contents() throws(StorageError) -> StoreContents {
        guard isOpen.withLock({ $0 }), let contents = disk.read() else { throw .closed }
        return contents
    }

    func change<Answer: Sendable>(
        _ body: (inout StoreContents) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        guard isOpen.withLock({ $0 }) else { throw .closed }
        return try disk.change(body)
    }
}
