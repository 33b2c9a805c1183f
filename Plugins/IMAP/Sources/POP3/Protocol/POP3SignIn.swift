import FoundationEssentials
import IMAP
import MailKernelAPI

/// A connection that is signed in: the server keeps the maildrop as it is until it ends.
struct POP3Connection: Sendable {
    var talk: POP3Talk
    var capabilities: POP3Capabilities
    fileprivate let guardian: Task<Void, Never>

    /// Ends it. What was marked with DELE stays on the server unless QUIT was answered.
    func close() async {
        guardian.cancel()
        await talk.stream.close()
    }

    /// The same failure, unless it was ours: the server said nothing for too long.
    func explained(_ error: AccountError) -> AccountError {
        guard talk.pulse.isOverdue else { return error }
        let endpoint = talk.endpoint
        return .unreachable(
            host: endpoint.host, reason: "it did not respond in time on port \(endpoint.port)")
    }
}

/// Connects and signs in.
struct POP3SignIn: Sendable {
    let configuration: POP3Configuration
    let host: HostServices

    private var server: MailServer { configuration.server }

    func open() async throws(AccountError) -> POP3Connection {
        let credentials = try await configuration.login.credentials(refused: nil)
        do throws(AccountError) {
            return try await open(credentials)
        } catch {
            guard case .authenticationRequired(let reason) = error, case .oauth(_, let token) = credentials
            else { throw error }
            // The token may have ended before its time.
            let renewed = try await configuration.login.credentials(refused: token)
            guard renewed != credentials else { throw .authenticationRequired(reason: reason) }
            return try await open(renewed)
        }
    }

    private func open(_ credentials: IMAPCredentials) async throws(AccountError) -> POP3Connection {
        let pulse = Pulse()
        let stream: any ByteStream
        do throws(NetworkError) {
            stream = try await host.network.connect(
                to: server.endpoint, security: server.security, purpose: configuration.purpose)
        } catch {
            throw AccountError(error, port: server.endpoint.port)
        }
        var connection = POP3Connection(
            talk: POP3Talk(stream: stream, endpoint: server.endpoint, pulse: pulse),
            capabilities: POP3Capabilities(),
            guardian: Task { [clock = host.clock] in await pulse.guardStream(stream, clock) })
        do throws(AccountError) {
            try await signIn(&connection, credentials)
            return connection
        } catch {
            await connection.close()
            throw connection.explained(error).hiding(credentials)
        }
    }

    private func signIn(
        _ connection: inout POP3Connection, _ credentials: IMAPCredentials
    ) async throws(AccountError) {
        let endpoint = server.endpoint
        let greeting = try await connection.talk.reply()
        guard greeting.isOK else { throw greeting.error(from: endpoint) }
        if server.security == .startTLS {
            // Asked for whatever the server says that it can do: that was not protected.
            guard try await connection.talk.ask("STLS").isOK else {
                throw .insecure(
                    host: endpoint.host, reason: "it does not offer TLS on port \(endpoint.port)")
            }
            try await connection.talk.startTLS()
        }
        connection.capabilities = try await capabilities(&connection.talk)
        try await authenticate(&connection, credentials)
        // Some servers say more to those who are signed in.
        let offered = try await capabilities(&connection.talk)
        if offered.areKnown { connection.capabilities = offered }
    }

    private func capabilities(_ talk: inout POP3Talk) async throws(AccountError) -> POP3Capabilities {
        guard try await talk.ask("CAPA").isOK else { return POP3Capabilities() }
        var lines: [String] = []
        try await talk.lines { if lines.count < 100 { lines.append($0) } }
        return POP3Capabilities(lines)
    }

    // MARK: Who it is

    private func authenticate(
        _ connection: inout POP3Connection, _ credentials: IMAPCredentials
    ) async throws(AccountError) {
        let offered = connection.capabilities
        let way = Authentication.choose(
            credentials, capabilities: offered.mechanisms.union(["LOGINDISABLED"]), endpoint: server.endpoint)
        let reply: POP3Reply
        if let way, let mechanism = way.mechanism {
            reply = try await answer(&connection.talk, mechanism, way)
        } else if case .password(let user, let password) = credentials, offered.hasPasswords {
            reply = try await byTurns(&connection.talk, user, password.revealed)
        } else {
            throw .authenticationRequired(
                reason: "The incoming server does not support this account's sign-in method.")
        }
        guard reply.isOK else {
            let retryAt = offered.loginDelay.map { host.clock.now.addingTimeInterval($0) }
            throw reply.error(from: server.endpoint, isSignIn: true, retryAt: retryAt)
        }
    }

    /// In two steps: tokens are longer than a command may be.
    private func answer(
        _ talk: inout POP3Talk, _ mechanism: String, _ way: Authentication
    ) async throws(AccountError) -> POP3Reply {
        var reply = try await talk.ask("AUTH \(mechanism)")
        var answers = [way.answer, way.answerToRefusal][...]
        while reply.kind == .question {
            guard let next = answers.popFirst() else {
                throw .badAnswer("the server asked too much during the sign-in")
            }
            reply = try await talk.ask(next)
        }
        return reply
    }

    private func byTurns(
        _ talk: inout POP3Talk, _ user: String, _ password: String
    ) async throws(AccountError) -> POP3Reply {
        let isPlain = (user + password).unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control
        }
        guard isPlain else {
            throw .authenticationRequired(
                reason: "A user name or password cannot contain control characters.")
        }
        let reply = try await talk.ask("USER \(user)")
        return reply.isOK ? try await talk.ask("PASS \(password)") : reply
    }
}
