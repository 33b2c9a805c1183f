import FoundationEssentials
import MailKernelAPI
import Store

/// When a service is looked at: after changes, and from time to time while there is something to watch.
extension ServiceScripts {
    /// Goes round for as long as a service is to be watched.
    func watch() {
        isRoundWanted = true
        guard rounds == nil else { return }
        rounds = Task {
            while isRoundWanted, !Task.isCancelled {
                isRoundWanted = false
                if await lookAround(), (try? await clock.sleep(for: Self.firstPause)) != nil {
                    isRoundWanted = true
                }
            }
            rounds = nil
        }
    }

    func heard(_ type: DataType, in accountID: Id<Account>) async {
        guard let state = try? await ServiceRules.load(accountID, from: store) else { return }
        // This program's own notes are no news.
        if type == ServiceRules.dataType, wishes[accountID] == state.wish { return }
        guard state.isBusy || wishes[accountID]?.isWanted == true else { return }
        begin(accountID)
        watch()
    }

    /// - Returns: whether there is a service to watch.
    func lookAround() async -> Bool {
        var isWatching = false
        for account in (try? await store.read.accounts()) ?? []
        where account.status == .active {
            guard let state = try? await ServiceRules.load(account.id, from: store), state.isBusy else {
                continue
            }
            isWatching = true
            guard runs[account.id] == nil else { continue }
            let pause = state.failure.map { min(Self.interval, Self.firstPause * Double($0.count)) }
            let last = tried[account.id] ?? .distantPast
            guard clock.now.timeIntervalSince(last) >= pause ?? Self.interval else { continue }
            begin(account.id, onlyWithSession: true)
        }
        return isWatching
    }
}
