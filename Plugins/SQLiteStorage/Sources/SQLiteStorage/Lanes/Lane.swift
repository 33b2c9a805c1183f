import Dispatch
import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A connection and the one thread that uses it. SQLite's calls block, so they are kept off the
/// threads that Swift's tasks share.
///
/// `@unchecked Sendable`: the connection is only touched on the queue, which runs one block at a time.
final class Lane: @unchecked Sendable {
    private let queue: DispatchQueue
    private var database: Database?
    /// The call under way that may be interrupted.
    private let interruptible = Mutex<(call: Int, Interruption)?>(nil)
    private let calls = Atomic<Int>(0)

    init(_ label: String, _ database: Database) {
        queue = DispatchQueue(label: "sqlite-storage." + label)
        self.database = database
    }

    /// Runs `body` after everything that was asked for before it.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        guard !Task.isCancelled else { throw .cancelled }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, StorageError>, Never>) in
            queue.async {
                continuation.resume(returning: self.result(body))
            }
        }
        return try result.get()
    }

    /// The same for a body that only reads: it ends as soon as its task is canceled.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let call = calls.add(1, ordering: .relaxed).newValue
        let result: Result<Answer, StorageError> = await withTaskCancellationHandler {
            do throws(StorageError) {
                return .success(
                    try await run { [self] database throws(StorageError) in
                        let interruption = database.interruption
                        interruptible.withLock { $0 = (call, interruption) }
                        defer {
                            interruptible.withLock { $0 = nil }
                            interruption.end()
                        }
                        return try body(database)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            interruptible.withLock {
                if let (current, interruption) = $0, current == call { interruption.begin() }
            }
        }
        return try result.get()
    }

    private func result<Answer>(
        _ body: (Database) throws(StorageError) -> Answer
    ) -> Result<Answer, StorageError> {
        guard let database else { return .failure(.closed) }
        do throws(StorageError) {
            return .success(try body(database))
        } catch {
            return .failure(error)
        }
    }

    /// Closes the connection once everything asked for so far is done.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.database = nil
                continuation.resume()
            }
        }
    }
}
