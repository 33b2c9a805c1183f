import MailKernelAPI
import Synchronization

/// Tells listeners which states have changed.
///
/// A listener that is slow is not sent every state in between, only the newest of each type: what waits
/// for it never grows.
package final class StateNews: Sendable {
    package struct Key: Sendable, Hashable {
        package var type: DataType
        package var accountID: Id<Account>?

        package init(type: DataType, accountID: Id<Account>?) {
            self.type = type
            self.accountID = accountID
        }
    }

    private struct Listener {
        var pending: [Key: State] = [:]
        var wake: AsyncStream<Void>.Continuation
    }

    private struct Listeners {
        var nextID = 0
        var byID: [Int: Listener] = [:]
    }

    private let listeners = Mutex(Listeners())
    private let runID = String(UInt64.random(in: 0 ... .max), radix: 36)

    init() {}

    /// The state of something that is not stored, so it differs from every state of an earlier run.
    package func state(_ revision: Int) -> State { State(rawValue: "\(runID)-\(revision)") }

    package func publish(_ changes: [CommitResult.StateChange]) {
        guard !changes.isEmpty else { return }
        let wakes = listeners.withLock { listeners in
            for id in listeners.byID.keys {
                for change in changes {
                    let key = Key(type: change.type, accountID: change.accountID)
                    listeners.byID[id]?.pending[key] = change.state
                }
            }
            return listeners.byID.values.map(\.wake)
        }
        // Not under the lock: waking a task takes its lock, and a task that is cancelled holds that one while it
        // ends its stream, which takes ours.
        for wake in wakes { wake.yield() }
    }

    /// States that change from now on, in bundles, until the reading task is cancelled.
    package func listen() -> AsyncStream<[Key: State]> {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = listeners.withLock { listeners in
            listeners.nextID += 1
            listeners.byID[listeners.nextID] = Listener(wake: wake)
            return listeners.nextID
        }
        wake.onTermination = { [weak self] _ in self?.forget(id) }
        return AsyncStream { [weak self] in
            for await _ in wakes {
                guard let news = self?.take(id) else { return nil }
                if !news.isEmpty { return news }
            }
            return nil
        }
    }

    private func take(_ id: Int) -> [Key: State]? {
        listeners.withLock { listeners in
            defer { listeners.byID[id]?.pending = [:] }
            return listeners.byID[id]?.pending
        }
    }

    private func forget(_ id: Int) {
        _ = listeners.withLock { $0.byID.removeValue(forKey: id) }
    }
}
