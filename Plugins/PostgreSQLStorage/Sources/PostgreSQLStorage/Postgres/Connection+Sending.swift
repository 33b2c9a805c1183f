import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI

extension Connection {
    /// - Parameter once: whether the statement is hardly ever repeated. It is planned for its values then.
    func answer(_ sql: String, _ values: [SQLValue], once: Bool = false) throws(StorageError)
        -> Answer
    {
        try answer(to: try ask(sql, values, once: once))
    }

    /// Sends a statement without waiting for its answer. Several that do not depend on each other take one exchange with
    /// the server. If it fails, a later statement or `settle` does.
    func ask(_ sql: String, _ values: [SQLValue], once: Bool = false) throws(StorageError) -> Question {
        try openPipeline()
        try transmit(sql, name: once ? nil : try preparedName(sql, values.map(\.type)), values)
        let question = Question()
        pipeline.questions.append(question)
        return question
    }

    /// The answer to a statement that was sent before. It waits for everything that was sent.
    func answer(to question: Question) throws(StorageError) -> Answer {
        if question.answer == nil { try settle() }
        // Nil if it was not tried because an earlier statement failed, which was reported then.
        guard let answer = question.answer else {
            throw failure?.error ?? .unreachable(reason: "a statement was not answered")
        }
        return answer
    }

    /// Sends a statement whose answer only says whether it succeeded, and does not wait for it. If it fails, a later
    /// statement or `settle` does.
    ///
    /// - Parameter once: see `answer`.
    func send(_ sql: String, _ values: SQLValue..., once: Bool = false) throws(StorageError) {
        try send(sql, all: values, once: once)
    }

    func send(_ sql: String, all values: [SQLValue], once: Bool = false) throws(StorageError) {
        if pipeline.questions.count >= Self.mostSent { try settle() }
        try openPipeline()
        try transmit(sql, name: once ? nil : try preparedName(sql, values.map(\.type)), values)
        pipeline.questions.append(nil)
    }

    /// Sends a statement that is the last one for now, and leaves its answer to the next use of the connection.
    func sendLast(_ sql: String) throws(StorageError) {
        try send(sql, once: true)
        guard PQpipelineSync(raw) == 1 else { throw lost() }
        pipeline.isComplete = true
        try flush(until: .now() + patience)
    }

    private func openPipeline() throws(StorageError) {
        if pipeline.isComplete { pipeline = Pipeline(isOpen: true, isBehindLast: true) }
        guard !pipeline.isOpen else { return }
        guard PQenterPipelineMode(raw) == 1 else { throw lost() }
        pipeline.isOpen = true
    }

    /// Waits for the answers to all statements that were sent.
    func settle() throws(StorageError) {
        guard pipeline.isOpen else { return }
        let sent = pipeline
        pipeline = Pipeline()
        if !sent.isComplete {
            exchanges += 1
            guard PQpipelineSync(raw) == 1 else { throw lost() }
        }
        // What `sendLast` left no longer matters, unless the connection is lost.
        if sent.isBehindLast { _ = try readPipeline([]) }
        let failure = try readPipeline(sent.questions)
        guard PQexitPipelineMode(raw) == 1 else { throw lost() }
        guard let failure, !sent.isComplete else { return try checkAccount() }
        assumed = nil
        // Those after the failed statement were not prepared.
        for sql in sent.prepared { prepared[sql] = nil }
        throw note(failure)
    }

    /// Reads to the end of a pipeline. Returns its first failure: what follows that was not tried.
    private func readPipeline(_ questions: [Question?]) throws(StorageError) -> ServerFailure? {
        let deadline = DispatchTime.now() + patience
        try flush(until: deadline)
        var failure: ServerFailure?
        var number = 0
        while true {
            try awaitAnswer(until: deadline)
            // Between the answers to two statements there is none.
            guard let result = PQgetResult(raw) else {
                guard PQstatus(raw) == CONNECTION_OK else { throw lost() }
                continue
            }
            let answer = Answer(result)
            guard PQresultStatus(result) != PGRES_PIPELINE_SYNC else { return failure }
            let question = number < questions.count ? questions[number] : nil
            number += 1
            if answer.isGood { question?.answer = answer }
            guard failure == nil, !answer.isGood, PQresultStatus(result) != PGRES_PIPELINE_ABORTED else {
                continue
            }
            failure = ServerFailure(result)
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
        if prepared.count >= Self.mostPrepared {
            try execute("DEALLOCATE ALL")
            prepared = [:]
            try openPipeline()
        }
        // Never used before: one that failed in a pipeline may be there or not.
        let name = "s\(nextPrepared)"
        nextPrepared += 1
        guard PQsendPrepare(raw, name, sql, Int32(types.count), types) == 1 else { throw lost() }
        pipeline.questions.append(nil)
        pipeline.prepared.append(sql)
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
    /// Whether nothing more is sent before its answers are read.
    var isComplete = false
    /// Whether the answers of one that was complete come before its own.
    var isBehindLast = false
    /// What the answers belong to, in their order; nil for those that only say whether the statement succeeded.
    var questions: [Question?] = []
    /// The statements that were prepared in it.
    var prepared: [String] = []
}

/// A statement that was sent, and its answer once it is there.
final class Question {
    fileprivate(set) var answer: Answer?
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
