import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI

/// One connection to a server. It blocks, and is used by one thread at a time.
///
/// libpq waits for a hung server for ever. This asks after a short while whether the server still answers others, and
/// waits for `patience` seconds at most; then the connection is lost.
final class Connection {
    private let raw: OpaquePointer
    let patience: Double
    private var prepared: [String: String] = [:]
    /// Of the server, when the connection was made.
    private(set) var primaryship: Primaryship?
    /// Whether no other server has become the primary since.
    var isCurrent: () -> Bool = { true }
    /// Whether the server answers another connection.
    var isServerAlive: () -> Bool = { true }
    /// Whether the server has warned of something.
    private var isWarned = false
    /// The answer to the last statement that failed.
    private(set) var failure: ServerFailure?
    private(set) var isLost = false

    private static let mostPrepared = 200
    /// The seconds without a byte after which a server is asked whether it still answers.
    private static let shortSilence = 0.5

    /// - Parameter options: of libpq.
    init(_ options: [(String, String)], patience: Double) throws(ConnectFailure) {
        self.patience = patience
        let made = Self.withCStrings(options.map(\.0)) { names in
            Self.withCStrings(options.map(\.1)) { values in PQconnectdbParams(names, values, 0) }
        }
        guard let made else { throw ConnectFailure("there is no memory for a connection") }
        raw = made
        guard PQstatus(raw) == CONNECTION_OK else { throw whyNotConnected }
        PQsetnonblocking(raw, 1)
        PQsetNoticeReceiver(
            raw,
            { context, _ in
                guard let context else { return }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isWarned = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { PQfinish(raw) }

    /// In the languages that servers speak, a refused password can be told only by whether one was used.
    private var whyNotConnected: ConnectFailure {
        if PQconnectionNeedsPassword(raw) == 1 {
            return ConnectFailure("the server asks for a password, and none is saved", isRefusal: true)
        }
        let message = text(PQerrorMessage(raw))
        return PQconnectionUsedPassword(raw) == 1
            ? ConnectFailure("the server refused the sign-in: \(message)", isRefusal: true)
            : ConnectFailure(message, isSilent: true)
    }

    /// Whether a server accepts connections. It is asked on another connection, without signing in.
    static func ping(_ options: [(String, String)]) -> Bool {
        let options = options.filter { $0.0 != "connect_timeout" } + [("connect_timeout", "2")]
        let answer = withCStrings(options.map(\.0)) { names in
            withCStrings(options.map(\.1)) { values in PQpingParams(names, values, 0) }
        }
        return answer == PQPING_OK || answer == PQPING_REJECT
    }

    func prepareSession(schema: String) throws(StorageError) {
        // A client that is gone must not hold locks. Warnings tell of a commit that no standby has.
        try execute(
            """
            SET search_path = \(schema), public; SET client_min_messages = warning; SET jit = off;
            SET statement_timeout = \(Int(patience * 750)); SET lock_timeout = \(Int(patience * 500));
            SET idle_in_transaction_session_timeout = '60s'; SET bytea_output = 'hex';
            SET client_connection_check_interval = '2s'; SET tcp_user_timeout = '10s';
            SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3
            """)
        primaryship = try readPrimaryship()
        forgetFailure()
    }

    /// The server's process as it was named when the connection was made: a pooler in between names another one.
    var process: Int { Int(PQbackendPID(raw)) }

    /// Such as 150018 for 15.18.
    var serverVersion: Int { Int(PQserverVersion(raw)) }

    /// Its host and port, for messages.
    var server: String { "\(text(PQhost(raw))):\(text(PQport(raw)))" }

    /// Whether no transaction can write.
    var isReadOnly: Bool {
        ["in_hot_standby", "default_transaction_read_only"].contains { (name: String) in
            PQparameterStatus(raw, name).map { String(cString: $0) } == "on"
        }
    }

    func forgetFailure() { failure = nil }

    /// Returns once the server, and the standbys that it waits for, have saved the transaction.
    ///
    /// - Throws: the connection is lost if the outcome is unknown.
    func commit() throws(StorageError) {
        isWarned = false
        guard PQsendQuery(raw, "COMMIT") == 1 else { throw lost() }
        let answer = try finish(within: max(patience / 4, min(patience, 2)))
        guard PQcmdStatus(answer.raw).map({ String(cString: $0) }) == "COMMIT" else {
            throw failure?.error ?? .unreadable(reason: "the transaction was rolled back")
        }
        guard isWarned else { return }
        isLost = true
        throw .unreachable(reason: "the server stopped waiting for its standby")
    }

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
    private func finish(within seconds: Double? = nil) throws(StorageError) -> Answer {
        let deadline = DispatchTime.now() + (seconds ?? patience)
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
            // Another server is the primary by now.
            if failure.state == "25006" { isLost = true }
            throw failure.error
        }
        guard let last else { throw lost() }
        return last
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
