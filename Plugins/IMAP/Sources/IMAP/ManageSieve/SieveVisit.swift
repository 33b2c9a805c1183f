import FoundationEssentials
import MailKernelAPI

/// Visits a ManageSieve server (RFC 5804): connects, signs in, does one thing and takes leave. Scripts change rarely, so no
/// connection is kept.
struct SieveVisit: Sendable {
    let server: MailServer
    let login: IMAPLogin
    let host: HostServices
    let purpose: String

    /// For the whole visit.
    private static let patience = 60.0

    func run<Answer: Sendable>(
        _ body: @Sendable (inout SieveTalk, SieveCapabilities) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        let credentials = try await login.credentials(refused: nil)
        do throws(AccountError) {
            return try await run(credentials, body)
        } catch {
            guard case .authenticationRequired(let reason) = error, case .oauth(_, let token) = credentials
            else { throw error }
            // Refused before anything was done. The token may have ended before its time.
            let renewed = try await login.credentials(refused: token)
            guard renewed != credentials else { throw .authenticationRequired(reason: reason) }
            return try await run(renewed, body)
        }
    }

    private func run<Answer: Sendable>(
        _ credentials: IMAPCredentials,
        _ body: @Sendable (inout SieveTalk, SieveCapabilities) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        var talk = try await connect()
        let stream = talk.stream
        let answer: Result<Answer, AccountError>
        let limit = Task { [clock = host.clock] in
            guard (try? await clock.sleep(for: Self.patience)) != nil else { return false }
            await stream.close()
            return true
        }
        do throws(AccountError) {
            let capabilities = try await signIn(&talk, credentials)
            answer = .success(try await body(&talk, capabilities))
        } catch {
            answer = .failure(error.hiding(credentials))
        }
        limit.cancel()
        let isOverdue = await limit.value
        if case .success = answer {
            // The reply does not matter: what was asked for is done.
            try? await stream.write(Data("LOGOUT\r\n".utf8))
        }
        await stream.close()
        if case .failure = answer, isOverdue {
            let endpoint = server.endpoint
            throw .unreachable(
                host: endpoint.host, reason: "it did not respond in time on port \(endpoint.port)")
        }
        return try answer.get()
    }

    private func connect() async throws(AccountError) -> SieveTalk {
        do throws(NetworkError) {
            let stream = try await host.network.connect(
                to: server.endpoint, security: server.security, purpose: purpose)
            return SieveTalk(stream: stream, endpoint: server.endpoint)
        } catch {
            throw AccountError(error, port: server.endpoint.port)
        }
    }

    // MARK: Signing in

    private func signIn(
        _ talk: inout SieveTalk, _ credentials: IMAPCredentials
    ) async throws(AccountError) -> SieveCapabilities {
        let endpoint = server.endpoint
        var capabilities = SieveCapabilities(try await talk.reply().orThrow(from: endpoint).lines)
        if server.security == .startTLS {
            guard capabilities.hasStartTLS, try await talk.ask("STARTTLS").kind == .ok else {
                throw .insecure(
                    host: endpoint.host, reason: "it does not offer TLS on port \(endpoint.port)")
            }
            try await talk.startTLS()
            // What was said before was not protected; the server says it again, unasked.
            capabilities = SieveCapabilities(try await talk.reply().orThrow(from: endpoint).lines)
        }
        guard capabilities.isKnown else { throw .badAnswer("the server does not use ManageSieve") }
        let reply = try await authenticate(&talk, credentials, capabilities.mechanisms)
        if reply.kind == .ok { return capabilities }
        let error = reply.error(from: endpoint)
        if case .refused(let reason) = error {
            let status = StatusResponse(kind: .no, code: nil, text: reply.text)
            if status.isUnableNow { throw .unreachable(host: endpoint.host, reason: reason) }
            throw .authenticationRequired(reason: reason)
        }
        throw error
    }

    private func authenticate(
        _ talk: inout SieveTalk, _ credentials: IMAPCredentials, _ mechanisms: Set<String>
    ) async throws(AccountError) -> SieveReply {
        if case .password(let user, let password) = credentials, mechanisms.contains("AUTH=LOGIN"),
            !mechanisms.contains("AUTH=PLAIN")
        {
            let answers = [user, password.revealed].map { Data($0.utf8).base64EncodedString() }
            return try await answer(&talk, "AUTHENTICATE \"LOGIN\"", answers, then: "*")
        }
        guard
            let way = Authentication.choose(
                credentials, capabilities: mechanisms.union(["LOGINDISABLED"]), endpoint: server.endpoint),
            let mechanism = way.mechanism
        else {
            throw .authenticationRequired(
                reason: "The ManageSieve server does not support this account's sign-in method.")
        }
        return try await answer(
            &talk, "AUTHENTICATE \"\(mechanism)\" \(SieveTalk.literal(way.answer))", [],
            then: way.answerToRefusal)
    }

    /// - Parameters:
    ///   - answers: to the questions that the server asks first.
    ///   - last: to those that it asks then, which explain a refusal.
    private func answer(
        _ talk: inout SieveTalk, _ command: String, _ answers: [String], then last: String
    ) async throws(AccountError) -> SieveReply {
        try await talk.say(command)
        var answers = answers[...]
        for _ in 0..<10 {
            if let reply = SieveReply(try await talk.line()) { return reply }
            try await talk.say(SieveTalk.literal(answers.popFirst() ?? last))
        }
        throw .badAnswer("the ManageSieve server asked too much during the sign-in")
    }
}
