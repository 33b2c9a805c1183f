import MailKernelAPI
import Synchronization

/// Merges the segments of the search indexes: fewer segments make searches faster.
///
/// While mail arrives in batches, merging waits, because merging many segments at once is cheaper. It runs in
/// small steps, so that writers never wait long. The next start finishes what was left.
final class IndexMerging: Sendable {
    /// Mail that comes in batches comes faster than this.
    private static let silence = Duration.seconds(3)
    /// A few hundredths of a second.
    private static let pagesInOneStep = 250

    private let writer: Lane
    private let waiting = Mutex<Task<Void, Never>?>(nil)

    init(_ writer: Lane) {
        self.writer = writer
    }

    /// Restarts the wait for an idle period.
    func wasWritten() {
        let task = Task {
            guard (try? await Task.sleep(for: Self.silence)) != nil else { return }
            try? await merge()
        }
        waiting.withLock { waiting in
            waiting?.cancel()
            waiting = task
        }
    }

    /// Ends when nothing is left to be merged, or the task is cancelled.
    func merge() async throws(StorageError) {
        while try await writer.run({ database throws(StorageError) in
            try database.mergeSearchIndexes(pages: Self.pagesInOneStep)
        }) {}
    }

    /// Returns when what waits or is being done now has ended.
    func settle() async { await waiting.withLock { $0 }?.value }

    func stop() async {
        let task = waiting.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }
}

extension Database {
    /// One step in the index of one account; false if there is nothing to be merged in any.
    fileprivate func mergeSearchIndexes(pages: Int) throws(StorageError) -> Bool {
        try transaction(.write) { () throws(StorageError) in
            for account in try accountRows() where try SearchIndex(account: account).merge(pages, in: self) {
                return true
            }
            return false
        }
    }
}
