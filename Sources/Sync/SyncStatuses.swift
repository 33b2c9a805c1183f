import MailKernelAPI
import Store
import Synchronization

/// The activity of all accounts, as a list with a state.
package final class SyncStatuses: Sendable {
    package static let dataType = DataType(rawValue: "SyncStatus")
    /// How soon it is seen that a full disk has room again.
    private static let lookAgain = Duration.seconds(5)

    private struct Contents {
        var statuses: [Id<Account>: SyncStatus] = [:]
        var turns: [Id<Account>: SyncStatus.Turn] = [:]
        var isDiskFull = false
        var revision = 0

        var withTurns: [Id<Account>: SyncStatus] {
            guard !turns.isEmpty else { return statuses }
            var all = statuses
            for (id, turn) in turns { all[id, default: .idle].turn = turn }
            return all
        }
    }

    private let contents = Mutex(Contents())
    private let news: StateNews
    private let disk: DiskSpace?

    /// - Parameter disk: the one that keeps the mail; nil if it is never full.
    package init(news: StateNews, disk: DiskSpace? = nil) {
        self.news = news
        self.disk = disk
    }

    package var all: (statuses: [Id<Account>: SyncStatus], state: State) {
        contents.withLock { contents in
            let known = contents.withTurns
            guard contents.isDiskFull else { return (known, news.state(contents.revision)) }
            // Takes precedence over other problems, because the user can act on it.
            let statuses = known.mapValues { status in
                var status = status
                status.problem = DiskSpace.fullSentence
                status.remedy = .retry
                return status
            }
            return (statuses, news.state(contents.revision))
        }
    }

    /// Nil once the account is gone.
    package func set(_ status: SyncStatus?, of accountID: Id<Account>) {
        change { contents in
            guard contents.statuses[accountID] != status else { return false }
            contents.statuses[accountID] = status
            if status == nil { contents.turns[accountID] = nil }
            return true
        }
        lookAtDisk()
    }

    /// Which computer looks after an account. If it is another one, this one does nothing for it.
    package func setTurn(_ turn: SyncStatus.Turn, of accountID: Id<Account>) {
        change { contents in
            guard contents.turns[accountID] != turn else { return false }
            contents.turns[accountID] = turn
            if turn != .here { contents.statuses[accountID] = .idle }
            return true
        }
    }

    /// The server with the account's part of the store does not respond, so nothing is done for it, and which computer
    /// looks after it is not known.
    package func setSilent(_ error: StorageError, of accountID: Id<Account>) {
        let silent = SyncStatus(.failed, because: error)
        change { contents in
            guard contents.statuses[accountID] != silent || contents.turns[accountID] != nil else {
                return false
            }
            contents.statuses[accountID] = silent
            contents.turns[accountID] = nil
            return true
        }
    }

    private func change(_ body: (inout Contents) -> Bool) {
        let revision = contents.withLock { contents -> Int? in
            guard body(&contents) else { return nil }
            contents.revision += 1
            return contents.revision
        }
        guard let revision else { return }
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, news.state(revision))])
    }

    /// That the disk is full shows when accounts do something, and is looked at again until it is not.
    private func lookAtDisk() {
        guard let disk else { return }
        let isFull = disk.isFull
        var hasBegun = false
        change { contents in
            guard contents.isDiskFull != isFull else { return false }
            contents.isDiskFull = isFull
            hasBegun = isFull
            return true
        }
        guard hasBegun else { return }
        Task { [weak self] in
            while disk.isFull {
                guard (try? await Task.sleep(for: Self.lookAgain)) != nil, self != nil else { return }
            }
            self?.lookAtDisk()
        }
    }
}
