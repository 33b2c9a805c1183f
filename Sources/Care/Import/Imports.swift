import Accounts
import FoundationEssentials
import MailKernelAPI
import Store

/// The imports of this run: those under way, and how the others ended.
package actor Imports {
    package struct Status: Sendable, Hashable {
        package var id: String
        package var path: String
        package var accountID: Id<Account>
        package var progress = MailImport.Progress()
        package var isFinished = false
        /// Why it ended before all was read, in a sentence.
        package var problem: String?
    }

    package static let dataType = DataType(rawValue: "Import")

    private let accounts: Accounts
    private let clock: any HostClock
    private let ids: IDMaker
    private let news: StateNews
    private var all: [Status] = []
    private var tasks: [String: Task<Void, Never>] = [:]
    private var revision = 0

    package init(accounts: Accounts, ids: IDMaker, clock: any HostClock, news: StateNews) {
        self.accounts = accounts
        self.clock = clock
        self.ids = ids
        self.news = news
    }

    package var statuses: [Status] { all }
    package var state: State { news.state(revision) }

    /// Begins to import a file or folder of this machine, and returns at once.
    package func begin(_ url: URL, into account: Account) -> Status {
        let work = MailImport(into: account.id, of: accounts, clock: clock)
        let status = Status(id: ids.text("J"), path: url.path, accountID: account.id)
        all.append(status)
        changed()
        tasks[status.id] = Task {
            do {
                let progress = try await work.run(url) { progress in
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
    package func stop(_ id: String) -> Bool {
        guard all.contains(where: { $0.id == id }) else { return false }
        tasks[id]?.cancel()
        return true
    }

    package func stopAll() async { await tasks.endAll() }

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
