public import MailKernelAPI
import Synchronization

/// What every account is doing, as one list with a state that changes with it.
public final class SyncStatuses: Sendable {
    public static let dataType = DataType(rawValue: "SyncStatus")

    private struct Contents {
        var statuses: [Id<Account>: SyncStatus] = [:]
        var revision = 0
    }

    private let contents = Mutex(Contents())
    private let news: StateNews
    private let runID: String

    init(news: StateNews, runID: String) {
        self.news = news
        self.runID = runID
    }

    public var all: (statuses: [Id<Account>: SyncStatus], state: State) {
        contents.withLock { ($0.statuses, state($0.revision)) }
    }

    /// Nil once the account is gone.
    func set(_ status: SyncStatus?, of accountID: Id<Account>) {
        let revision = contents.withLock { contents -> Int? in
            guard contents.statuses[accountID] != status else { return nil }
            contents.statuses[accountID] = status
            contents.revision += 1
            return contents.revision
        }
        guard let revision else { return }
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state(revision))])
    }

    private func state(_ revision: Int) -> State { State(rawValue: "\(runID)-\(revision)") }
}
