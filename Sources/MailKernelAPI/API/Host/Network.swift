public import FoundationEssentials

/// The only way out of this machine: connections to hosts that the plugin's manifest lists, over
/// verified TLS 1.2 or newer, each written to a ledger that the user can read.
public protocol PluginNetwork: Sendable {
    /// Sends a request and returns the whole answer, whatever its status. For answers of up to 4 MiB.
    ///
    /// Cancelling the task throws `.cancelled` and closes the connection. The server may have carried
    /// out the request all the same.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse

    /// Sends a request and hands the body of a 2xx answer to `sink` as it arrives.
    ///
    /// The body of any other answer is in the returned response. When it throws, what `sink` has
    /// taken is a true beginning of the body: ask for the rest with `Range`. Cancelling the task
    /// throws `.cancelled` and closes the connection; `sink` is not called afterwards.
    ///
    /// - Parameter head: takes the status and the headers of the answer, with an empty body, once and
    ///   before the first byte of the body: whoever asked for a range sees here that the server ignored
    ///   it (200 and not 206) and that the body begins anew. Throwing ends the download with `.local`.
    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse

    /// Opens a stream of bytes to a server, for protocols that the kernel does not speak.
    ///
    /// Cancelling the task throws `.cancelled` and leaves nothing behind: a connection that came about
    /// meanwhile is closed.
    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream

    /// Hands one message to a submission server.
    func submit(_ submission: SMTPSubmission) async throws(NetworkError) -> SMTPOutcome
}

public struct Endpoint: Sendable, Hashable, Codable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public var description: String { "\(host):\(port)" }
}

public enum TransportSecurity: String, Sendable, Codable {
    /// TLS from the first byte.
    case tls
    /// Plain until `STARTTLS`, nothing of worth before it.
    case startTLS
}

/// A connection that was opened for a plugin.
///
/// One read and one write may be under way at a time, each in a task of its own. Cancelling such a
/// task throws `.cancelled` and closes the stream, for nobody could say how far the bytes went; what
/// is called afterwards throws `.closed`. The same holds for `startTLS`. A stream that nobody holds
/// any more is closed too.
public protocol ByteStream: Sendable {
    /// Waits for bytes and returns what has arrived; nil once the other side has closed.
    func read(upTo count: Int) async throws(NetworkError) -> Data?

    /// Returns when the bytes have been handed to the network.
    func write(_ bytes: Data) async throws(NetworkError)

    /// Turns a `startTLS` connection into a verified TLS one; what was read before is forgotten.
    func startTLS() async throws(NetworkError)

    /// Closes it at once. Reads and writes under way throw `.closed`.
    func close() async
}

public struct HTTPRequest: Sendable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: Data?
    /// Sent as `Authorization: Bearer …`; kept out of `headers` so that no log can show it.
    public var bearer: Secret?
    /// Why, in a few words that the user reads in the ledger: "sign in", "download a model".
    public var purpose: String

    public init(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil,
        bearer: Secret? = nil, purpose: String
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.bearer = bearer
        self.purpose = purpose
    }
}

public struct HTTPResponse: Sendable {
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

public struct SMTPSubmission: Sendable {
    public enum Login: Sendable {
        case oauth(user: String, token: Secret)
        case password(user: String, password: Secret)
    }

    public var endpoint: Endpoint
    public var security: TransportSecurity
    public var login: Login
    public var envelope: Envelope
    public var message: any ByteSource
    public var purpose: String

    public init(
        endpoint: Endpoint, security: TransportSecurity, login: Login, envelope: Envelope,
        message: any ByteSource, purpose: String
    ) {
        self.endpoint = endpoint
        self.security = security
        self.login = login
        self.envelope = envelope
        self.message = message
        self.purpose = purpose
    }
}

public struct SMTPReply: Sendable, Hashable, Codable {
    /// 250, 451, 550, …
    public var code: Int
    /// `5.1.1` and the like, where the server says it.
    public var enhancedCode: String?
    /// The server's own words.
    public var text: String

    public init(code: Int, enhancedCode: String? = nil, text: String) {
        self.code = code
        self.enhancedCode = enhancedCode
        self.text = text
    }

    public var isTransient: Bool { (400..<500).contains(code) }
}

public enum SMTPOutcome: Sendable, Hashable, Codable {
    /// The server took the message for everybody but those in `refused`.
    case accepted(SMTPReply, refused: [String: SMTPReply])
    /// The server said no; nobody got the message.
    case rejected(SMTPReply, refused: [String: SMTPReply])
    /// The connection was lost after the final dot and before the answer: it may have been sent.
    case unknown
}

public enum NetworkError: Error, Hashable, Codable {
    /// This machine has no way to the network at all.
    case offline
    /// The name was not found, nobody answered or not within 30 seconds.
    case unreachable(host: String, reason: String)
    /// The certificate was not valid for the host, or the other side offers no TLS 1.2.
    case insecure(host: String, reason: String)
    /// The plugin's manifest does not list the host.
    case hostNotAllowed(host: String)
    /// An answer came that is not of the protocol, or is larger than allowed.
    case badAnswer(host: String, reason: String)
    /// The name and password, or the token, were refused.
    case loginRefused(host: String, reply: String)
    /// The connection was closed, by either side.
    case closed(host: String)
    /// The task was cancelled.
    case cancelled
    /// A sink or source that the plugin passed in threw.
    case local(reason: String)
}
