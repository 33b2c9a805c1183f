public import FoundationEssentials
public import MailKernelAPI

/// The imports of this run: those under way, and how the others ended.
public actor Imports {
    public struct Status: Sendable, Hashable {
        public var id: String
        public var path: String
        public var accountID: Id<Account>
        public var progress = MailImport.Progress()
        public var isFinished = false
        /// Why it ended before all was read, in a sentence.
        public var problem: String?
    }

    public static let dataType = DataType(rawValue: "Import")

    private let ids: IDMaker
    private let news: StateNews
    private var all: [Status] = []
    private var tasks: [String: Task<Void, Never>] = [:]
    private var revision = 0

    init(ids: IDMaker, news: StateNews) {
        self.ids = ids
        self.news = news
    }

    public var statuses: [Status] { all }
    public var state: State { State(rawValue: "\(revision)") }

    /// Begins to import a file or folder of this machine, and returns at once.
    public func begin(_ url: URL, into account: Account, of kernel: MailKernel) -> Status {
        let status = Status(id: ids.text("J"), path: url.path, accountID: account.id)
        all.append(status)
        changed()
        tasks[status.id] = Task {
            do {
                let progress = try await MailImport(into: account.id, of: kernel).run(url) { progress in
                    await self.update(status.id) { $0.progress = progress }
                }
                update(status.id) { $0.progress = progress }
            } catch {
                update(status.id) { $0.problem = Self.sentence(error) }
            }
            update(status.id) { $0.isFinished = true }
            tasks[status.id] = nil
        }
        return status
    }

    /// Stops an import; imported messages are kept. Returns whether the import existed.
    public func stop(_ id: String) -> Bool {
        guard all.contains(where: { $0.id == id }) else { return false }
        tasks[id]?.cancel()
        return true
    }

    /// Ends all of them, and waits until they have ended.
    func stopAll() async {
        for task in tasks.values { task.cancel() }
        for task in Array(tasks.values) { await task.value }
    }

    private func update(_ id: String, _ change: (inout Status) -> Void) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        change(&all[index])
        changed()
    }

    private func changed() {
        revision += 1
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "Stopped. Imported messages are kept; start the import again to continue."
        case let error as AccountError: error.sentence
        case let error as StorageError: error.sentence
        default: "\(error)"
        }
    }
}
