import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Synchronization

/// Dovecot on loopback, with a token check, for as long as this process lives. Every address is an account
/// with a mailbox of its own, made when it first signs in.
public struct MailServers: Sendable {
    public struct Ports: Sendable, Decodable {
        public let imaps: Int
        /// On 127.0.0.2, where signing in needs TLS.
        public let starttls: Int
        /// ManageSieve, on 127.0.0.2; nil if it is not installed.
        public let sieve: Int?
        public let certificate: String
        public let folder: String
    }

    public let ports: Ports

    /// The one password that all accounts have.
    public static let password = Secret("password-for-tests")
    private static let running = Task { try await start(without: []) }
    private static let archiveless = Task { try await start(without: ["Archive"]) }

    /// Started once for all tests.
    public static func shared() async throws -> MailServers { try await running.value }

    /// The same with nowhere to archive, as many servers are set up.
    public static func withoutArchive() async throws -> MailServers { try await archiveless.value }

    public static var isInstalled: Bool { access("/usr/sbin/dovecot", X_OK) == 0 }

    /// A new address.
    public static func newAddress() -> String { "u\(UUID().uuidString.lowercased())@example.test" }

    /// What the token check takes for this address.
    public static func token(for address: String) -> Secret { Secret("valid.\(address)") }

    public var network: TestNetwork { TestNetwork(trusted: ports.certificate) }

    public static var hasScripts: Bool {
        isInstalled && access("/usr/lib/dovecot/managesieve-login", X_OK) == 0
    }

    /// Delivers a message to an address as its active script says.
    public func deliver(_ message: Data, to address: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try message.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // Started by root, Dovecot runs as another user.
        let user = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
        let command =
            "\(user)/usr/lib/dovecot/dovecot-lda -c \(ports.folder)/dovecot.conf -d \(address) < \(file.path); echo $?"
        guard try Helper(["/bin/sh", "-c", command]).firstLine() == "0" else { throw Helper.Failed() }
    }

    private static func start(without mailboxes: [String]) async throws -> MailServers {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "mail_servers.py")
            .path
        let child = try Helper(["/usr/bin/env", "python3", script] + mailboxes)
        // Never ended by us: it ends when this process does, and its input closes.
        let line = try child.firstLine()
        return MailServers(ports: try JSONDecoder().decode(Ports.self, from: Data(line.utf8)))
    }
}

/// A program with its input held open.
public struct Helper: Sendable {
    public struct Failed: Error {}

    private let output: CInt

    public init(_ words: [String]) throws {
        var input: [CInt] = [0, 0]
        var output: [CInt] = [0, 0]
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw Failed() }
        for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        var argv = words.map { strdup($0) } + [nil]
        defer { for word in argv { free(word) } }
        var id = pid_t()
        guard let program = words.first, posix_spawn(&id, program, &actions, nil, &argv, environ) == 0 else {
            throw Failed()
        }
        Glibc.close(input[0])
        Glibc.close(output[1])
        self.output = output[0]
    }

    public func firstLine() throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while Glibc.read(output, &byte, 1) == 1 {
            if byte == 10 { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        throw Failed()
    }
}

/// Connections to servers of the tests.
public struct TestNetwork: OfflineNetwork {
    public let trusted: String
    /// Delivers to one address instead of the submission server; false if there is no such address.
    public var deliver: (@Sendable (String, any ByteSource) async throws -> Bool)?

    public init(trusted: String) {
        self.trusted = trusted
    }

    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await TestConversation.send(request, trusted: trusted)
    }

    public func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        try await SocketStream(endpoint, security: security, trusted: trusted)
    }

    public func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome {
        guard let deliver else {
            return try await TestConversation.submit(message, submission, trusted: trusted)
        }
        var refused: [String: SMTPReply] = [:]
        for recipient in submission.envelope.rcptTo {
            do {
                if try await deliver(recipient, message) { continue }
            } catch let error as NetworkError {
                throw error
            } catch {
                throw .unreachable(host: submission.endpoint.host, reason: "\(error)")
            }
            refused[recipient] = SMTPReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        }
        if refused.count == submission.envelope.rcptTo.count {
            return .rejected(SMTPReply(code: 554, text: "No valid recipients"), refused: refused)
        }
        return .accepted(SMTPReply(code: 250, text: "OK"), refused: refused)
    }
}
