import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI

extension Connection {
    /// - Parameter once: whether the statement is hardly ever repeated. It is planned for its values then.
    func answer(_ sql: String, _ values: [SQLValue], once: Bool = false) throws(StorageError)
        -> Answer
    {
        try settle()
        let name = once ? nil : try preparedName(sql, values.map(\.type))
        try transmit(sql, name: name, values)
        return try finish()
    }

    /// Sends a statement whose answer only says whether it succeeded, and does not wait for it. If it fails, a later
    /// statement or `settle` does.
    func send(_ sql: String, _ values: SQLValue...) throws(StorageError) {
        if pipeline.sent >= Self.mostSent { try settle() }
        if !pipeline.isOpen {
            guard PQenterPipelineMode(raw) == 1 else { throw lost() }
            pipeline.isOpen = true
        }
        try transmit(sql, name: try preparedName(sql, values.map(\.type)), values)
        pipeline.sent += 1
    }

    /// Waits for the answers to all statements that were sent.
    func settle() throws(StorageError) {
        guard pipeline.isOpen else { return }
        let prepared = pipeline.prepared
        pipeline = Pipeline()
        guard PQpipelineSync(raw) == 1 else { throw lost() }
        let failure = try readPipeline()
        guard PQexitPipelineMode(raw) == 1 else { throw lost() }
        guard let failure else { return }
        // Those after the failed statement were not prepared.
        for sql in prepared { self.prepared[sql] = nil }
        throw note(failure)
    }

    /// Reads to the end of a pipeline. Returns its first failure: what follows that was not tried.
    private func readPipeline() throws(StorageError) -> ServerFailure? {
        let deadline = DispatchTime.now() + patience
        try flush(until: deadline)
        var failure: ServerFailure?
        while true {
            try awaitAnswer(until: deadline)
            // Between the answers to two statements there is none.
            guard let result = PQgetResult(raw) else {
                guard PQstatus(raw) == CONNECTION_OK else { throw lost() }
                continue
            }
            let answer = Answer(result)
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC: return failure
            case PGRES_PIPELINE_ABORTED: continue
            default: if failure == nil, !answer.isGood { failure = ServerFailure(result) }
            }
        }
    }

    private func transmit(_ sql: String, name: String?, _ values: [SQLValue]) throws(StorageError) {
        let types = values.map(\.type)
        let encoded = values.map(\.encoded)
        let flat: [UInt8] = encoded.flatMap { (bytes: [UInt8]?) -> [UInt8] in bytes ?? [] } + [0]
        let lengths = encoded.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        let count = Int32(values.count)
        let isSent = flat.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = encoded.map { value -> UnsafePointer<CChar>? in
                defer { offset += value?.count ?? 0 }
                guard value != nil else { return nil }
                return bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            guard let name else {
                return PQsendQueryParams(raw, sql, count, types, pointers, lengths, formats, 1)
            }
            return PQsendQueryPrepared(raw, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    private func preparedName(_ sql: String, _ types: [UInt32]) throws(StorageError) -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= Self.mostPrepared, !pipeline.isOpen {
            try execute("DEALLOCATE ALL")
            prepared = [:]
        }
        // Never used before: one that failed in a pipeline may be there or not.
        let name = "s\(nextPrepared)"
        nextPrepared += 1
        guard PQsendPrepare(raw, name, sql, Int32(types.count), types) == 1 else { throw lost() }
        if pipeline.isOpen { pipeline.prepared.append(sql) } else { _ = try finish() }
        prepared[sql] = name
        return name
    }

    /// Waits for the answer to what was sent: the last one, or the first failure.
    func finish(within seconds: Double? = nil) throws(StorageError) -> Answer {
        let deadline = DispatchTime.now() + (seconds ?? patience)
        try flush(until: deadline)
        var last: Answer?
        var failure: ServerFailure?
        while true {
            try awaitAnswer(until: deadline)
            guard let result = PQgetResult(raw) else { break }
            let answer = Answer(result)
            if failure == nil, !answer.isGood { failure = ServerFailure(result) }
            last = answer
        }
        if PQstatus(raw) != CONNECTION_OK { isLost = true }
        if let failure { throw note(failure) }
        guard let last else { throw lost() }
        return last
    }

    private func note(_ failure: ServerFailure) -> StorageError {
        self.failure = failure
        if PQstatus(raw) != CONNECTION_OK { isLost = true }
        // Another server is the primary by now.
        if failure.state == "25006" { isLost = true }
        return failure.error
    }

    private func flush(until deadline: DispatchTime) throws(StorageError) {
        while true {
            let rest = PQflush(raw)
            guard rest >= 0 else { throw lost() }
            if rest == 0 { return }
            try wait(for: POLLIN | POLLOUT, until: deadline)
            guard PQconsumeInput(raw) == 1 else { throw lost() }
        }
    }

    private func awaitAnswer(until deadline: DispatchTime) throws(StorageError) {
        while PQisBusy(raw) == 1 {
            try wait(for: POLLIN, until: deadline)
            guard PQconsumeInput(raw) == 1 else { throw lost() }
        }
    }

    private func wait(for events: Int32, until deadline: DispatchTime) throws(StorageError) {
        var entry = pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)
        var silence = Self.shortSilence
        var nextCheck = DispatchTime.now() + silence
        while true {
            let left = Self.milliseconds(until: min(nextCheck, deadline))
            let count = left > 0 ? poll(&entry, 1, left) : 0
            if count < 0, errno == EINTR { continue }
            if count != 0 { return }
            guard deadline > .now() else {
                isLost = true
                throw .unreachable(reason: "the server did not answer in time")
            }
            guard isServerAlive() else {
                isLost = true
                throw .unreachable(reason: "the server does not respond")
            }
            silence *= 2
            nextCheck = .now() + silence
        }
    }

    private static func milliseconds(until time: DispatchTime) -> Int32 {
        let left = Int64(time.uptimeNanoseconds) - Int64(DispatchTime.now().uptimeNanoseconds)
        return left > 0 ? Int32(clamping: left / 1_000_000 + 1) : 0
    }
}

/// Statements that are sent without waiting for each answer.
struct Pipeline {
    var isOpen = false
    var sent = 0
    /// The statements that were prepared in it.
    var prepared: [String] = []
}

/// A result, freed with the object.
final class Answer {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit { PQclear(raw) }

    var isGood: Bool {
        let status = PQresultStatus(raw)
        return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY
    }
}
