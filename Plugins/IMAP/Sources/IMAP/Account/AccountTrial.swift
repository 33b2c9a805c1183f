import FoundationEssentials
public import MailKernelAPI
import Synchronization

extension IMAPConfiguration {
    /// Tries everything that the account needs, for `AccountProvider.validate`.
    public func tryOut(host: HostServices) async throws(AccountError) {
        try await tryReceiving(host: host)
        try await trySending(host: host)
    }

    /// Signs in and lists the mailboxes.
    public func tryReceiving(host: HostServices) async throws(AccountError) {
        let session = IMAPAccountSession(self, host: host)
        do throws(AccountError) {
            _ = try await session.mailboxes()
        } catch {
            await session.close()
            throw error
        }
        await session.close()
    }

    /// Signs in where mail is submitted, without sending anything.
    public func trySending(host: HostServices) async throws(AccountError) {
        guard let submission else { return }
        _ = try await SubmissionTrial(server: submission, login: login, host: host, purpose: purpose).run()
    }
}

/// Signs in at a submission server, learns what it offers, and takes leave again.
struct SubmissionTrial: Sendable {
    let server: MailServer
    let login: IMAPLogin
    let host: HostServices
    let purpose: String

    /// The time limit for a server that sends nothing, for example because it expects TLS from the start.
    private static let patience = 60.0

    /// - Returns: the lines of its answer to EHLO, in capitals.
    func run() async throws(AccountError) -> [String] {
        let credentials = try await login.credentials(refused: nil)
        var talk: SMTPTalk
        do throws(NetworkError) {
            let stream = try await host.network.connect(
                to: server.endpoint, security: server.security, purpose: purpose)
            talk = SMTPTalk(stream: stream, endpoint: server.endpoint)
        } catch {
            throw AccountError(error, port: server.endpoint.port)
        }
        let stream = talk.stream
        let isOverdue = Flag()
        let limit = Task { [clock = host.clock] in
            guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
            isOverdue.raise()
            await stream.close()
        }
        defer { limit.cancel() }
        let offers: [String]
        do throws(AccountError) {
            offers = try await signIn(&talk, credentials)
        } catch {
            await stream.close()
            guard !isOverdue.isRaised else {
                let port = server.endpoint.port
                throw .unreachable(
                    host: server.endpoint.host, reason: "it did not respond in time on port \(port)")
            }
            throw error.hiding(credentials)
        }
        // The reply does not matter: the sign-in succeeded.
        try? await stream.write(Data("QUIT\r\n".utf8))
        await stream.close()
        return offers
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .acquiring) }
        func raise() { value.store(true, ordering: .releasing) }
    }

    private func signIn(
        _ talk: inout SMTPTalk, _ credentials: IMAPCredentials
    ) async throws(AccountError) -> [String] {
        let greeting = try await talk.answer()
        guard greeting.code == 220 else { throw meaning(of: greeting) }
        var offers = try await hello(&talk)
        if server.security == .startTLS {
            guard offers.contains("STARTTLS"), try await talk.ask("STARTTLS").code == 220 else {
                let port = server.endpoint.port
                throw .insecure(host: server.endpoint.host, reason: "it does not offer TLS on port \(port)")
            }
            try await talk.startTLS()
            offers = try await hello(&talk)
        }
        let mechanisms = offers.first { $0.hasPrefix("AUTH ") || $0.hasPrefix("AUTH=") } ?? ""
        let names = Set(mechanisms.dropFirst(5).split(separator: " ").map { "AUTH=\($0)" })
        if case .password(let user, let password) = credentials, names.contains("AUTH=LOGIN"),
            !names.contains("AUTH=PLAIN")
        {
            try await signInByTurns(&talk, user, password)
            return offers
        }
        guard
            let way = Authentication.choose(
                credentials, capabilities: names.union(["LOGINDISABLED"]), endpoint: server.endpoint)
        else {
            throw .authenticationRequired(
                reason: "The outgoing server does not support this account's sign-in method.")
        }
        var answer = try await talk.ask("AUTH \(way.mechanism ?? "PLAIN") \(way.answer)")
        if answer.code == 334 { answer = try await talk.ask(way.answerToRefusal) }
        guard answer.code == 235 else { throw meaning(of: answer) }
        return offers
    }

    /// As old servers want it: the name, then the password.
    private func signInByTurns(
        _ talk: inout SMTPTalk, _ user: String, _ password: Secret
    ) async throws(AccountError) {
        var answer = try await talk.ask("AUTH LOGIN")
        for text in [user, password.revealed] where answer.code == 334 {
            answer = try await talk.ask(Data(text.utf8).base64EncodedString())
        }
        guard answer.code == 235 else { throw meaning(of: answer) }
    }

    private func hello(_ talk: inout SMTPTalk) async throws(AccountError) -> [String] {
        let answer = try await talk.ask("EHLO [127.0.0.1]")
        guard answer.code == 250 else { throw meaning(of: answer) }
        return answer.lines.map { $0.uppercased() }
    }

    private func meaning(of answer: SMTPTalk.Answer) -> AccountError {
        let status = StatusResponse(kind: .no, code: nil, text: answer.lines.joined(separator: " "))
        switch answer.code {
        case 421, 450, 451, 452, 454: return .throttled(until: nil)
        case 530, 534, 535, 538: return .authenticationRequired(reason: status.shownText)
        default: return .refused(status.shownText)
        }
    }
}

/// A conversation in SMTP, one question at a time.
struct SMTPTalk: Sendable {
    struct Answer: Sendable, Equatable {
        let code: Int
        /// Without their codes.
        let lines: [String]
    }

    private static let longest = 1 << 16

    let stream: any ByteStream
    let endpoint: Endpoint
    private var input = Data()

    init(stream: any ByteStream, endpoint: Endpoint) {
        self.stream = stream
        self.endpoint = endpoint
    }

    mutating func ask(_ line: String) async throws(AccountError) -> Answer {
        try await stream.write("\(line)\r\n", to: endpoint)
        return try await answer()
    }

    mutating func startTLS() async throws(AccountError) {
        // Data received in the clear is discarded.
        input = Data()
        try await stream.startTLS(with: endpoint)
    }

    mutating func answer() async throws(AccountError) -> Answer {
        var lines: [String] = []
        while lines.count < 100 {
            let line = try await line()
            guard let code = Int(line.prefix(3)), (200..<600).contains(code) else {
                throw .badAnswer("the outgoing server does not use SMTP")
            }
            lines.append(String(line.dropFirst(4)))
            if line.dropFirst(3).first != "-" { return Answer(code: code, lines: lines) }
        }
        throw .badAnswer("a response of the outgoing server was too long")
    }

    private mutating func line() async throws(AccountError) -> String {
        while true {
            if let end = input.firstIndex(of: 10) {
                let line = input[input.startIndex..<end]
                input = Data(input[input.index(after: end)...])
                return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            }
            guard input.count < Self.longest else {
                throw .badAnswer("a response of the outgoing server was too long")
            }
            input += try await stream.read(upTo: 4_096, from: endpoint)
        }
    }
}
