import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI

/// One connection to a server. It blocks, and is used by one thread at a time.
///
/// libpq waits for a hung server for ever; this waits for `patience` seconds, and then the connection is lost.
final class Connection {
    private let raw: OpaquePointer
    private let patience: Double
    private var prepared: [String: String] = [:]
    /// The answer to the last statement that failed.
    private(set) var failure: ServerFailure?
    private(set) var isLost = false

    private static let mostPrepared = 200

    /// - Parameter options: of libpq, later ones first in rank.
    init(_ options: [(String, String)], patience: Double) throws(StorageError) {
        self.patience = patience
        let made = Self.withCStrings(options.map(\.0)) { names in
            Self.withCStrings(options.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
        }
        guard let made else { throw .unreachable(reason: "there is no memory for a connection") }
        raw = made
        guard PQstatus(raw) == CONNECTION_OK else { throw .unreachable(reason: whyNotConnected) }
        PQsetnonblocking(raw, 1)
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
    }

    deinit { PQfinish(raw) }

    /// In the languages that servers speak, a refused password can be told only by whether one was used.
    private var whyNotConnected: String {
        if PQconnectionNeedsPassword(raw) == 1 { return "the server asks for a password, and none is saved" }
        let message = text(PQerrorMessage(raw))
        return PQconnectionUsedPassword(raw) == 1 ? "the server refused the sign-in: \(message)" : message
    }

    /// The server's process as it was named when the connection was made: a pooler in between names another one.
    var process: Int { Int(PQbackendPID(raw)) }

    /// Such as 150018 for 15.18.
    var serverVersion: Int { Int(PQserverVersion(raw)) }

    func forgetFailure() { failure = nil }

    /// Runs statements without parameters, separated by semicolons.
    func execute(_ script: String) throws(StorageError) {
        guard PQsendQuery(raw, script) == 1 else { throw lost() }
        _ = try finish()
    }

    /// Returns the number of rows that it changed.
    @discardableResult func run(_ sql: String, _ values: SQLValue...) throws(StorageError) -> Int {
        let result = try answer(sql, values)
        return PQcmdTuples(result.raw).flatMap { Int(String(cString: $0)) } ?? 0
    }

    func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], once: Bool = false,
        _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        let result = try answer(sql, values, once: once)
        var made: [Value] = []
        let count = PQntuples(result.raw)
        made.reserveCapacity(Int(count))
        for number in 0..<max(0, count) { made.append(try make(Row(result: result.raw, number: number))) }
        return made
    }

    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], once: Bool = false,
        _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        try rows(sql, values, once: once, make).first
    }
}

// MARK: Sending and waiting

extension Connection {
    /// - Parameter once: whether the statement is hardly ever repeated. It is planned for its values then.
    private func answer(_ sql: String, _ values: [SQLValue], once: Bool = false) throws(StorageError)
        -> Answer
    {
        let types = values.map(\.type)
        let name = once ? nil : try preparedName(sql, types)
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
        return try finish()
    }

    private func preparedName(_ sql: String, _ types: [UInt32]) throws(StorageError) -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= Self.mostPrepared {
            try execute("DEALLOCATE ALL")
            prepared = [:]
        }
        let name = "s\(prepared.count)"
        guard PQsendPrepare(raw, name, sql, Int32(types.count), types) == 1 else { throw lost() }
        _ = try finish()
        prepared[sql] = name
        return name
    }

    /// Waits for the answer to what was sent: the last one, or the first failure.
    private func finish() throws(StorageError) -> Answer {
        let deadline = DispatchTime.now() + patience
        while true {
            let rest = PQflush(raw)
            guard rest >= 0 else { throw lost() }
            if rest == 0 { break }
            try wait(for: POLLIN | POLLOUT, until: deadline)
            guard PQconsumeInput(raw) == 1 else { throw lost() }
        }
        var last: Answer?
        var failure: ServerFailure?
        while true {
            while PQisBusy(raw) == 1 {
                try wait(for: POLLIN, until: deadline)
                guard PQconsumeInput(raw) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(raw) else { break }
            let answer = Answer(result)
            if failure == nil, !answer.isGood { failure = ServerFailure(result) }
            last = answer
        }
        if PQstatus(raw) != CONNECTION_OK { isLost = true }
        if let failure {
            self.failure = failure
            throw failure.error
        }
        guard let last else { throw lost() }
        return last
    }

    private func wait(for events: Int32, until deadline: DispatchTime) throws(StorageError) {
        var entry = pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0)
        while true {
            let left = Int64(deadline.uptimeNanoseconds) - Int64(DispatchTime.now().uptimeNanoseconds)
            let count = left > 0 ? poll(&entry, 1, Int32(clamping: left / 1_000_000 + 1)) : 0
            if count < 0, errno == EINTR { continue }
            guard count != 0 else {
                isLost = true
                throw .unreachable(reason: "the server did not answer within \(Int(patience)) seconds")
            }
            return
        }
    }

    private func lost() -> StorageError {
        isLost = true
        return .unreachable(reason: text(PQerrorMessage(raw)))
    }

    private func text(_ message: UnsafePointer<CChar>?) -> String {
        let lines = message.map { String(cString: $0) } ?? ""
        return lines.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) } + [nil])
    }
}

/// A result, freed with the object.
private final class Answer {
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
