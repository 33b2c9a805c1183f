import Dispatch
import Glibc
import MailKernelAPI
import Synchronization

/// A connection and the one thread that uses it. It connects when it is needed, and again when the connection is lost.
///
/// `@unchecked Sendable`: the connection is only touched on the queue, which runs one block at a time.
final class Lane: @unchecked Sendable {
    private let queue: DispatchQueue
    private let connect: @Sendable () throws(StorageError) -> Connection
    private var connection: Connection?
    private var marks = CommitMarks()
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

    /// The same on another lane's thread, which waits. Only the holder of the lane may call it.
    func now<Answer>(_ body: (Lane) throws(StorageError) -> Answer) throws(StorageError) -> Answer {
        let result = queue.sync { () -> Result<Answer, StorageError> in
            do throws(StorageError) {
                return .success(try body(self))
            } catch {
                return .failure(error)
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
    private static let beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    /// All that `body` reads is of one moment. It runs again on a new connection if the old one turns out to be lost.
    func read<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        var tries = 1
        while true {
            let connection = try connected()
            do throws(StorageError) {
                let answer = try transaction(connection, Self.beginReading, body)
                try connection.sendLast("COMMIT")
                return answer
            } catch {
                if connection.isWronglyAssumed { continue }
                guard connection.isLost, tries < Self.mostTries else { throw error }
                tries += 1
            }
        }
    }

    /// The same on the connection that is there, once: it waits for no server.
    ///
    /// - Throws: `isConnected` is false then if there is no connection, or it was lost.
    func readAtOnce<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        guard isConnected, let connection else { throw .unreachable(reason: "there is no connection") }
        let answer = try transaction(connection, Self.beginReading, body)
        try connection.sendLast("COMMIT")
        return answer
    }

    /// Returns once the server answers.
    func wake() throws(StorageError) {
        try read { connection throws(StorageError) in _ = connection }
    }

    /// Everything that `body` writes, or nothing. It runs again if the server asks for that, or if the connection is lost
    /// and nothing was written.
    ///
    /// - Parameter isMarked: whether to find out what became of a commit whose connection was lost. Only where the table
    ///   of the marks is not there before and after `body` it cannot.
    func write<Answer>(
        isMarked: Bool = true, _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        var tries = 1
        while true {
            let connection = try connected()
            let answer: Answer
            do throws(StorageError) {
                answer = try transaction(connection, "BEGIN") { connection throws(StorageError) in
                    let answer = try body(connection)
                    if isMarked { try marks.set(on: connection) }
                    return answer
                }
            } catch {
                let isTemporary = connection.isLost || connection.failure?.isTemporary ?? false
                guard isTemporary, tries < Self.mostTries else { throw connection.explanation(of: error) }
                tries += 1
                continue
            }
            if try isCommitted(connection, isMarked: isMarked) { return answer }
            guard tries < Self.mostTries else {
                throw .unreachable(reason: "the connection is lost with each commit")
            }
            tries += 1
        }
    }

    /// The bytes of words that were put into the search index since the last time.
    func takeWordBytes() -> Int {
        defer { connection?.wordBytes = 0 }
        return connection?.wordBytes ?? 0
    }

    /// Runs `body` outside of any transaction.
    func plain<Answer>(
        _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        try body(try connected())
    }

    /// As far as is known.
    var isConnected: Bool {
        guard let connection else { return false }
        return !connection.isLost && connection.isCurrent()
    }

    private func connected() throws(StorageError) -> Connection {
        if isConnected, let connection { return connection }
        connection = nil
        let new = try connect()
        connection = new
        return new
    }

    /// Begins a transaction and leaves it open, unless `body` throws.
    private func transaction<Answer>(
        _ connection: Connection, _ begin: String, _ body: (Connection) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        do throws(StorageError) {
            connection.forgetFailure()
            try connection.send(begin, once: true)
            let answer = try body(connection)
            try connection.settle()
            return answer
        } catch {
            // What is on its way fails with the rest.
            if !connection.isLost { try? connection.settle() }
            if !connection.isLost { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}

// MARK: Commits whose outcome is unknown

extension Lane {
    private func isCommitted(_ connection: Connection, isMarked: Bool) throws(StorageError) -> Bool {
        do throws(StorageError) {
            try connection.commit()
            return true
        } catch {
            guard connection.isLost, isMarked else { throw error }
            return try wasCommitted(within: max(connection.patience / 2, 5))
        }
    }

    /// Asks the primary, which may be another server by now, until it answers.
    private func wasCommitted(within seconds: Double) throws(StorageError) -> Bool {
        let deadline = DispatchTime.now() + seconds
        while true {
            do throws(StorageError) {
                let connection = try connected()
                let isThere = try transaction(connection, "BEGIN") { connection throws(StorageError) in
                    try marks.isThere(on: connection)
                }
                // What was committed before this is as safe as this is.
                try connection.commit()
                return isThere
            } catch {
                guard .now() < deadline else { throw unknown(error) }
                usleep(50_000)
            }
        }
    }

    private func unknown(_ error: StorageError) -> StorageError {
        let reason =
            if case .unreachable(let reason) = connection?.explanation(of: error) ?? error { reason } else {
                "\(error)"
            }
        return .unreachable(reason: "\(reason). It is not known whether the last change was saved")
    }
}
