import FoundationEssentials
import MailKernelAPI

/// A conversation with a ManageSieve server, one question at a time.
struct SieveTalk: Sendable {
    /// Of one answer.
    private static let mostLines = 2_000

    let stream: any ByteStream
    let endpoint: Endpoint
    private var responses = SieveResponses()

    init(stream: any ByteStream, endpoint: Endpoint) {
        self.stream = stream
        self.endpoint = endpoint
    }

    mutating func ask(_ command: String) async throws(AccountError) -> SieveReply {
        try await say(command)
        return try await reply()
    }

    /// A text as servers take it: a literal that need not be asked for.
    static func literal(_ text: String) -> String { "{\(text.utf8.count)+}\r\n\(text)" }

    mutating func say(_ line: String) async throws(AccountError) {
        try await stream.write("\(line)\r\n", to: endpoint)
    }

    mutating func startTLS() async throws(AccountError) {
        responses.forget()
        try await stream.startTLS(with: endpoint)
    }

    mutating func reply() async throws(AccountError) -> SieveReply {
        var lines: [[SieveToken]] = []
        responses.beginAnswer()
        while lines.count < Self.mostLines {
            let line = try await line()
            guard var reply = SieveReply(line) else {
                lines.append(line)
                continue
            }
            reply.lines = lines
            return reply
        }
        throw .badAnswer("a response of the ManageSieve server was too long")
    }

    /// A line: the end of an answer, a part of one, or a question of a sign-in.
    mutating func line() async throws(AccountError) -> [SieveToken] {
        while true {
            do throws(SieveResponses.Malformed) {
                if let line = try responses.next() { return line }
            } catch {
                throw .badAnswer("the ManageSieve server sent \(error.reason)")
            }
            responses.push(try await stream.read(upTo: 1 << 16, from: endpoint))
        }
    }
}

extension SieveReply {
    /// What the user reads: truncated and without control characters.
    var shownText: String { StatusResponse(kind: .no, code: nil, text: text).shownText }

    /// What an answer other than OK means.
    func error(from endpoint: Endpoint) -> AccountError {
        if code == "TRYLATER" { return .throttled(until: nil) }
        if kind == .bye { return .unreachable(host: endpoint.host, reason: shownText) }
        switch code {
        case "NONEXISTENT": return .notFound
        case "ENCRYPT-NEEDED": return .insecure(host: endpoint.host, reason: shownText)
        default: return .refused(shownText)
        }
    }

    @discardableResult
    func orThrow(from endpoint: Endpoint) throws(AccountError) -> SieveReply {
        guard kind == .ok else { throw error(from: endpoint) }
        return self
    }
}
