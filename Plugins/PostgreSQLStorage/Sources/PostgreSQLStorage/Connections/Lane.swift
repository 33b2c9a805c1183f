import Dispatch
import MailKernelAPI
import Synchronization

/// A connection and the one thread that uses it. It connects when it is needed, and again when the connection is lost.
///
/// `@unchecked Sendable`: the connection is only touched on the queue, which runs one block at a time.
final class Lane: @unchecked Sendable {
    private let queue: DispatchQueue
    private let connect: @Sendable () throws(StorageError) -> Connection
    private var connection: Connection?
    private var timer: (any DispatchSourceTimer)?

    init(_ label: String, connect: @escaping @Sendable () throws(StorageError) -> Connection) {
        queue = DispatchQueue(label: label)
        self.connect = connect
    }

    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Lane) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        guard !Task.isCancelled else { throw .cancelled }
        return try await runToTheEnd(body)
    }

    /// The same in a task that may be canceled: for cleanup.
    func runToTheEnd<Answer: Sendable>(
        _ body: @escaping @Sendable (Lane) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer, StorageError>, Never>) in
            queue.async {
                do throws(StorageError) {
                    continuation.resume(returning: .success(try body(self)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs `body` on the lane's thread again and again, between what is asked for.
    func repeatedly(every interval: DispatchTimeInterval, _ body: @escaping @Sendable () -> Void) {
        queue.async {
            let timer = DispatchSource.makeTimerSource(queue: self.queue)
            timer.schedule(deadline: .now() + interval, repeating: interval)
            timer.setEventHandler(handler: body)
            timer.activate()
            self.timer = timer
        }
    }

    func stopRepeating() {
        queue.async {
            self.timer?.cancel()
            self.timer = nil
        }
    }

    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.connection = nil
                continuation.resume()
            }
        }
    }
}

// MARK: Transactions, on the lane's thread

extension Lane {
    private static let mostTries = 4

    /// All that `body` reads is of one moment. It runs again on a new connection if the old one turns out to be lost.
    func read<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        let isUsed = connection != nil
        do throws(StorageError) {
            return try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
        } catch {
            guard isUsed, connection == nil else { throw error }
            return try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
        }
    }

    /// Everything that `body` writes, or nothing. It runs again if the server asks for that.
    func write<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        var tries = 1
        while true {
            let isUsed = connection != nil
            var isBegun = false
            do throws(StorageError) {
                return try transaction("BEGIN") { connection throws(StorageError) in
                    isBegun = true
                    return try body(connection)
                }
            } catch {
                let isStale = isUsed && !isBegun && connection == nil
                let isRefused = connection?.failure?.isTemporary ?? false
                guard tries < Self.mostTries, isStale || isRefused else { throw error }
                tries += 1
            }
        }
    }

    /// Runs `body` outside of any transaction.
    func plain<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        let connection = try connected()
        defer { if connection.isLost { self.connection = nil } }
        return try body(connection)
    }

    private func connected() throws(StorageError) -> Connection {
        if let connection, !connection.isLost { return connection }
        connection = nil
        let new = try connect()
        connection = new
        return new
    }

    private func transaction<Answer>(
        _ begin: String, _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        let connection = try connected()
        connection.forgetFailure()
        defer { if connection.isLost { self.connection = nil } }
        try connection.execute(begin)
        let answer: Answer
        let number: String?
        do throws(StorageError) {
            answer = try body(connection)
            number = begin == "BEGIN" ? try connection.transactionNumber() : nil
        } catch {
            if !connection.isLost { try? connection.execute("ROLLBACK") }
            throw error
        }
        do throws(StorageError) {
            try connection.execute("COMMIT")
        } catch {
            guard connection.isLost, let number, wasCommitted(number) else { throw error }
        }
        return answer
    }

    /// Asks again where the connection was lost while the server committed.
    private func wasCommitted(_ number: String) -> Bool {
        guard let other = try? connect() else { return false }
        let status = try? other.first("SELECT pg_xact_status($1::xid8)::text", [.text(number)], once: true) {
            $0.text(0)
        }
        connection = other
        return status == "committed"
    }
}

extension Connection {
    /// Of the transaction under way; nil if it has changed nothing.
    fileprivate func transactionNumber() throws(StorageError) -> String? {
        try first("SELECT pg_current_xact_id_if_assigned()::text") { $0.textOrNil(0) } ?? nil
    }
}
