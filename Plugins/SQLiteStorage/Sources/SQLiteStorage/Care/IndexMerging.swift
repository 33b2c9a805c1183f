import MailKernelAPI
import Synchronization

/// Merges the pieces that the search indexes are written in: the fewer there are, the faster is searching.
///
/// While mail comes in batch after batch that can wait, and costs less afterwards, when many pieces become one at
/// once. It is done in small steps, so that nobody waits for long who wants to write. What a start of the program
/// finds undone it does.
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

    /// Begins anew to wait for a silence.
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
