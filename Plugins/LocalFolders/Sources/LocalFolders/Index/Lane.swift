import Dispatch
import MailKernelAPI

/// A connection and the one thread that uses it. SQLite and files block, so they are kept off the
/// threads that Swift's tasks share.
///
/// `@unchecked Sendable`: the connection is only touched on the queue, which runs one block at a time.
final class Lane: @unchecked Sendable {
    private let queue: DispatchQueue
    private var database: Database?

    init(_ label: String, _ database: Database) {
        queue = DispatchQueue(label: "local-folders." + label)
        self.database = database
    }

    /// Runs `body` after everything that was asked for before it.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(FolderError) -> Answer
    ) async throws(FolderError) -> Answer {
        guard !Task.isCancelled else { throw .cancelled }
        return try await runToTheEnd(body)
    }

    /// The same in a task that may be canceled: for cleanup.
    func runToTheEnd<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(FolderError) -> Answer
    ) async throws(FolderError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, FolderError>, Never>) in
            queue.async {
                continuation.resume(returning: self.result(body))
            }
        }
        return try result.get()
    }

    private func result<Answer>(
        _ body: (Database) throws(FolderError) -> Answer
    ) -> Result<Answer, FolderError> {
        guard let database else { return .failure(.closed) }
        do throws(FolderError) {
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
