import Dispatch
import Synchronization

/// A connection and the one thread that uses it. SQLite and files block, so they are kept off the threads that
/// Swift's tasks share.
///
/// `@unchecked Sendable`: the connection is only touched on the queue, which runs one block at a time.
public final class Lane<Failure: DatabaseFailure>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var database: Database<Failure>?

    public init(_ label: String, _ database: Database<Failure>) {
        queue = DispatchQueue(label: label)
        self.database = database
    }

    /// Runs `body` after everything that was asked for before it.
    public func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Database<Failure>) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        guard !Task.isCancelled else { throw .cancelled }
        return try await runToTheEnd(body)
    }

    /// The same in a task that may be canceled: for cleanup.
    public func runToTheEnd<Answer: Sendable>(
        _ body: @escaping @Sendable (Database<Failure>) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, Failure>, Never>) in
            queue.async {
                continuation.resume(returning: self.result(body))
            }
        }
        return try result.get()
    }

    /// The same for a body that only reads: it ends as soon as its task is canceled.
    public func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Database<Failure>) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let call = Call()
        let result: Result<Answer, Failure> = await withTaskCancellationHandler {
            do throws(Failure) {
                return .success(
                    try await run { database throws(Failure) in
                        let interruption = database.interruption
                        call.interruption.withLock { $0 = interruption }
                        defer {
                            call.interruption.withLock { $0 = nil }
                            interruption.end()
                        }
                        return try body(database)
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            call.interruption.withLock { $0?.begin() }
        }
        return try result.get()
    }

    private func result<Answer>(
        _ body: (Database<Failure>) throws(Failure) -> Answer
    ) -> Result<Answer, Failure> {
        guard let database else { return .failure(.closed) }
        do throws(Failure) {
            return .success(try body(database))
        } catch {
            return .failure(error)
        }
    }

    /// Closes the connection once everything asked for so far is done.
    public func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.database = nil
                continuation.resume()
            }
        }
    }
}

/// A call that is under way. Its interruption is nil before it begins and once it has ended.
private final class Call: Sendable {
    let interruption = Mutex<Interruption?>(nil)
}
