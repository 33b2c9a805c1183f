import MailKernelAPI
import Synchronization

/// Publishes what other kernels on the same store commit, while the store is open.
final class OtherKernels: Sendable {
    private let following = Mutex<Task<Void, Never>?>(nil)

    func follow(_ states: AsyncStream<[CommitResult.StateChange]>, _ news: [StateNews]) {
        replace(with: Task { for await changes in states { for news in news { news.publish(changes) } } })
    }

    func stop() { replace(with: nil) }

    private func replace(with task: Task<Void, Never>?) {
        let former = following.withLock { following in
            defer { following = task }
            return following
        }
        // Not under the lock: cancelling ends the stream, which may call back.
        former?.cancel()
    }
}
