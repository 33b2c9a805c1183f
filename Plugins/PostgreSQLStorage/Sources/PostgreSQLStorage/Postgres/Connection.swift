import CPostgreSQL
import Dispatch
import Glibc
import MailKernelAPI

/// One connection to a server. It blocks, and is used by one thread at a time.
///
/// libpq waits for a hung server for ever. This asks after a short while whether the server still answers others, and
/// waits for `patience` seconds at most; then the connection is lost.
final class Connection {
    let raw: OpaquePointer
    let patience: Double
    var prepared: [String: String] = [:]
    /// The number in the name of the next prepared statement.
    var nextPrepared = 0
    /// What was sent and is not answered yet.
    var pipeline = Pipeline()
    /// The bytes of words that were put into the search index, until they are counted.
    var wordBytes = 0
    /// How often the server was waited for.
    var exchanges = 0
    /// The numbers that accounts had when they were last looked for: see `assumedAccount`.
    var accountNumbers: [Id<Account>: Int] = [:]
    var assumed: AssumedAccount?
    /// Whether the last transaction failed because an account has another number by now.
    var isWronglyAssumed = false
    /// Of the server, when the connection was made.
    private(set) var primaryship: Primaryship?
    /// Whether no other server has become the primary since.
    var isCurrent: () -> Bool = { true }
    /// Whether the server answers another connection.
    var isServerAlive: () -> Bool = { true }
    /// Whether the server has warned of something.
    private var isWarned = false
    /// The answer to the last statement that failed.
    var failure: ServerFailure?
    var isLost = false

    static let mostPrepared = 200
    /// More statements would keep too many answers waiting.
    static let mostSent = 500
    /// The seconds without a byte after which a server is asked whether it still answers.
    static let shortSilence = 0.5

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

    func forgetFailure() {
        failure = nil
        isWronglyAssumed = false
    }

    /// Returns once the server, and the standbys that it waits for, have saved the transaction.
    ///
    /// - Throws: the connection is lost if the outcome is unknown.
    func commit() throws(StorageError) {
        try settle()
        isWarned = false
        exchanges += 1
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
        try settle()
        exchanges += 1
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
        try rows(try ask(sql, values, once: once), make)
    }

    /// Those that answer a statement that was sent before.
    func rows<Value>(
        _ question: Question, _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        let result = try answer(to: question)
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

extension Connection {
    func lost() -> StorageError {
        isLost = true
        return .unreachable(reason: text(PQerrorMessage(raw)))
    }

    private func text(_ message: UnsafePointer<CChar>?) -> String {
        let lines = (message.map { String(cString: $0) } ?? "").split(whereSeparator: \.isNewline)
        // libpq's hints, such as “Is the server running …?”, are indented.
        let facts = lines.filter { !$0.hasPrefix("\t") }
        return (facts.isEmpty ? lines : facts).joined(separator: " ")
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) } + [nil])
    }
}
