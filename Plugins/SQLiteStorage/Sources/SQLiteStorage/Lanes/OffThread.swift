import Dispatch
import MailKernelAPI

/// Runs blocking code on a separate thread, away from the shared threads of Swift's tasks.
enum OffThread {
    private static let queue = DispatchQueue(label: "sqlite-storage.files", attributes: .concurrent)

    static func run<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, StorageError>, Never>) in
            queue.async {
                do throws(StorageError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
