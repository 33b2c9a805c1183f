import FoundationEssentials
import MailKernelAPI

/// Why a connection could not be had.
enum SignInFailure: Error {
    case account(AccountError)
    /// The server has enough connections of this account: wait for one that is there already.
    case tooManyConnections
}

/// Opens connections that are signed in, and have agreed on what both sides can do.
struct SignIn: Sendable {
    let configuration: IMAPConfiguration
    let network: any PluginNetwork
    let clock: any HostClock

    func open() async throws(SignInFailure) -> IMAPConnection {
        do throws(AccountError) {
            let connection = try await connect()
            do throws(AccountError) {
                if try await greet(connection) { try await signIn(connection) }
                try await agree(connection)
                return connection
            } catch {
                await connection.close()
                throw error
            }
        } catch TooMany.sign {
            throw .tooManyConnections
        } catch {
            throw .account(error)
        }
    }

    /// Marks, among account errors, that there are too many connections.
    private enum TooMany {
        static let sign = AccountError.refused("too many connections")
    }

    private func connect() async throws(AccountError) -> IMAPConnection {
        let server = configuration.imap
        do throws(NetworkError) {
            let stream = try await network.connect(
                to: server.endpoint, security: server.security, purpose: configuration.purpose)
            return IMAPConnection(stream, to: server.endpoint, clock: clock)
        } catch {
            throw AccountError(error, port: server.endpoint.port)
        }
    }

    /// Up to the point where signing in is safe; false if the server does not want us to sign in.
    private func greet(_ connection: IMAPConnection) async throws(AccountError) -> Bool {
        let greeting = try await connection.greeting()
        if greeting.kind == .bye { throw meaning(of: greeting) }
        if configuration.imap.security == .startTLS {
            // A server that starts in the authenticated state no longer accepts STARTTLS.
            guard greeting.kind == .ok else { throw insecure("it would sign in without TLS") }
            try await ask(connection, .capability)
            guard await connection.capabilities.contains("STARTTLS"),
                try await connection.perform(.startTLS).isOK
            else { throw insecure("it does not offer TLS") }
            try await connection.startTLS()
        }
        if await connection.capabilities.isEmpty { try await ask(connection, .capability) }
        return greeting.kind != .preauth
    }

    private func insecure(_ reason: String) -> AccountError {
        let endpoint = configuration.imap.endpoint
        return .insecure(host: endpoint.host, reason: "\(reason) on port \(endpoint.port)")
    }

    private func ask(_ connection: IMAPConnection, _ command: Command) async throws(AccountError) {
        _ = try await connection.perform(command).orThrow()
    }

    // MARK: Who we are

    private func signIn(_ connection: IMAPConnection) async throws(AccountError) {
        var credentials = try await configuration.login.credentials(refused: nil)
        do throws(AccountError) {
            try await signIn(connection, &credentials)
        } catch {
            throw error.hiding(credentials)
        }
    }

    private func signIn(
        _ connection: IMAPConnection, _ credentials: inout IMAPCredentials
    ) async throws(AccountError) {
        var answer = try await authenticate(connection, credentials)
        if !answer.isOK, answer.isRefusal, case .oauth(_, let token) = credentials {
            // The token may have ended before its time: one that is certainly new decides.
            credentials = try await configuration.login.credentials(refused: token)
            guard case .oauth(_, let newToken) = credentials, newToken != token else {
                throw .authenticationRequired(reason: answer.completion.status.shownText)
            }
            answer = try await authenticate(connection, credentials)
        }
        guard !answer.isOK else { return }
        guard answer.isRefusal else { throw meaning(of: answer.completion.status) }
        throw .authenticationRequired(reason: answer.completion.status.shownText)
    }

    private func authenticate(
        _ connection: IMAPConnection, _ credentials: IMAPCredentials
    ) async throws(AccountError) -> IMAPConnection.Result {
        let capabilities = await connection.capabilities
        guard
            let way = Authentication.choose(
                credentials, capabilities: capabilities, endpoint: configuration.imap.endpoint)
        else {
            throw .authenticationRequired(
                reason: "The server does not support this account's sign-in method.")
        }
        return try await connection.authenticate(way)
    }

    private func meaning(of status: StatusResponse) -> AccountError {
        if status.isTooManyConnections { return TooMany.sign }
        let error = AccountError(status, command: "signing in")
        if status.kind == .bad, status.isUnableNow {
            return .unreachable(host: configuration.imap.endpoint.host, reason: status.shownText)
        }
        if case .refused(let reason) = error {
            return .unreachable(host: configuration.imap.endpoint.host, reason: reason)
        }
        return error
    }

    // MARK: What both can

    private func agree(_ connection: IMAPConnection) async throws(AccountError) {
        // Capabilities may change with the sign-in, and are requested if the server does not report them.
        await connection.becomeAuthenticated()
        if await !connection.knowsCapabilities { try await ask(connection, .capability) }
        await connection.ignore(configuration.behavior.ignoredCapabilities)
        let capabilities = await connection.capabilities
        var commands: [Command] = []
        // With UIDONLY, the server need not count messages; Yahoo shows more of a large mailbox then.
        let wanted = ["QRESYNC", "UIDONLY"].filter(capabilities.contains)
        if capabilities.contains("ENABLE"), !wanted.isEmpty { commands.append(.enable(wanted)) }
        if capabilities.contains("ID") { commands.append(.id(name: "mailkernel")) }
        if !commands.isEmpty { _ = try await connection.perform(commands) }
        if capabilities.contains("COMPRESS=DEFLATE"), configuration.compresses,
            try await connection.perform(.compress).isOK
        {
            try await connection.startCompression()
        }
    }
}

extension IMAPConnection.Result {
    /// Whether the server says that who signs in is not who they should be, and not something else.
    fileprivate var isRefusal: Bool {
        guard completion.status.kind == .no else { return false }
        if completion.status.isTooManyConnections { return false }
        switch completion.status.word {
        case "AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "EXPIRED": return true
        default: break
        }
        if completion.status.isUnableNow { return false }
        return !AccountError(completion.status, command: completion.command).isThrottling
    }
}

extension IMAPLogin {
    package func credentials(refused: Secret?) async throws(AccountError) -> IMAPCredentials {
        switch self {
        case .oauth(let user, let token): .oauth(user: user, token: try await token(refused))
        case .password(let user, let password): .password(user: user, password: try await password())
        }
    }
}
