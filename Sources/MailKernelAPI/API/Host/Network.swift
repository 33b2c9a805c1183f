public import FoundationEssentials

/// The only way to reach other computers: connections to the hosts in the plugin's manifest and those that
/// the user entered, over verified TLS 1.2 or newer. Each is written to a ledger that the user can read.
public protocol PluginNetwork: Sendable {
    /// Sends a request and returns the whole response, whatever its status. For responses of up to 4 MiB that
    /// arrive within 5 minutes. Follows up to 10 redirects to allowed hosts.
    ///
    /// Canceling the task throws `.cancelled` and closes the connection. The server may still have carried
    /// out the request.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse

    /// Sends a request and passes the body of a 2xx response to `sink` as it arrives.
    ///
    /// The body of any other response is in the returned value. When this throws, `sink` holds a valid
    /// beginning of the body: request the rest with `Range`. Canceling the task throws `.cancelled` and
    /// closes the connection; `sink` is not called afterwards.
    ///
    /// - Parameter head: receives the status and headers, with an empty body, once and before the first byte
    ///   of the body. After a range request, it shows whether the server ignored the range (200 instead of
    ///   206) and sends the body from the beginning. Throwing ends the download with `.local`.
    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse

    /// Opens a stream of bytes to a server, for protocols that the kernel does not speak.
    ///
    /// Canceling the task throws `.cancelled` and leaves no connection open.
    ///
    /// - Parameter purpose: as in `HTTPRequest.purpose`.
    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream

    /// Hands one message to a submission server (SMTP), byte for byte.
    func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome
}

/// A server and port to connect to.
public struct Endpoint: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A host name, or an address in text form.
    public var host: String
    /// The TCP port, 1 to 65,535.
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    public var description: String { "\(host):\(port)" }
}

/// When a connection becomes encrypted. There is no unencrypted choice.
public enum TransportSecurity: String, Sendable, Codable {
    /// TLS from the first byte.
    case tls
    /// Unencrypted until `STARTTLS`. Send nothing private before `ByteStream.startTLS` has returned.
    case startTLS
}

/// A connection that the kernel opened for a plugin.
///
/// One read and one write may run at a time, each in its own task. Canceling such a task throws `.cancelled`
/// and closes the stream, since it is unknown how many bytes went through; later calls throw `.closed`. The
/// same holds for `startTLS`. A stream closes when its last reference is released.
public protocol ByteStream: Sendable {
    /// Waits for bytes and returns those that have arrived, at most `count`; nil once the other side has
    /// closed.
    func read(upTo count: Int) async throws(NetworkError) -> Data?

    /// Returns when the bytes have been handed to the network.
    func write(_ bytes: Data) async throws(NetworkError)

    /// Turns a `.startTLS` connection into a verified TLS connection. Discards bytes that arrived before.
    func startTLS() async throws(NetworkError)

    /// Closes the stream at once. Reads and writes under way throw `.closed`.
    func close() async
}

/// An HTTPS request. Encoding leaves out `body` and `bearer`, which travel beside it.
public struct HTTPRequest: Sendable, Codable {
    /// The HTTP method, such as "GET".
    public var method: String
    /// An https address of an allowed host. Any other fails before anything is sent.
    public var url: URL
    /// Header fields by name. Fields about the connection, such as `Host`, `Authorization` and `User-Agent`,
    /// belong to the kernel: a request with one fails as `.local`.
    public var headers: [String: String]
    /// The bytes to send, read as they are sent; nil for none. They are read again if a kept connection turns out
    /// to be dead.
    public var body: (any ByteSource)?
    /// A token, sent as `Authorization: Bearer …`; nil for none. Separate from `headers` so that no log can
    /// show it, and dropped when a redirect leads to another server.
    public var bearer: Secret?
    /// Why, in a few words that the user reads in the ledger: "sign in", "download a model".
    public var purpose: String
    /// How long the server may send and take nothing before the request fails; nil for a minute. Event streams,
    /// read with `PluginNetwork.download`, need longer than the pause between their signs of life.
    public var silence: Duration?

    private enum CodingKeys: CodingKey {
        case method, url, headers, purpose, silence
    }

    public init(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: (any ByteSource)? = nil,
        bearer: Secret? = nil, purpose: String, silence: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.bearer = bearer
        self.purpose = purpose
        self.silence = silence
    }
}

/// A server's response.
public struct HTTPResponse: Sendable, Hashable, Codable {
    /// The HTTP status. Any status is a response, not an error.
    public var status: Int
    /// Header fields; names in lower case. Repeated fields are joined with ", ".
    public var headers: [String: String]
    /// The body. Empty where `download` wrote it to its sink.
    public var body: Data

    public init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Where to hand in a message, how to sign in there, and for whom the message is.
public struct SMTPSubmission: Sendable, Hashable, Codable {
    /// How to sign in to a submission server.
    ///
    /// Encoding leaves out the token or password, which travels beside it.
    public enum Login: Sendable, Hashable, Codable {
        /// With an OAuth access token that is still valid.
        case oauth(user: String, token: Secret = Secret(""))
        /// With a user name and password.
        case password(user: String, password: Secret = Secret(""))

        private enum OauthCodingKeys: CodingKey {
            case user
        }
        private enum PasswordCodingKeys: CodingKey {
            case user
        }
    }

    /// The submission server, usually port 465 or 587.
    public var endpoint: Endpoint
    /// When the connection becomes encrypted. With `.startTLS`, a server that does not offer it fails as
    /// `.insecure`.
    public var security: TransportSecurity
    /// How to sign in. A final refusal throws `NetworkError.loginRefused`; a transient one is
    /// `SMTPOutcome.rejected`.
    public var login: Login
    /// The sender and the recipients. The message's header is not consulted.
    public var envelope: Envelope
    /// As in `HTTPRequest.purpose`.
    public var purpose: String

    public init(
        endpoint: Endpoint, security: TransportSecurity, login: Login, envelope: Envelope, purpose: String
    ) {
        self.endpoint = endpoint
        self.security = security
        self.login = login
        self.envelope = envelope
        self.purpose = purpose
    }
}

/// A reply of a submission server (RFC 5321, section 4.2).
public struct SMTPReply: Sendable, Hashable, Codable {
    /// The three-digit reply code: 250, 451, 550, …
    public var code: Int
    /// The enhanced status code, such as `5.1.1`; nil if the server sends none.
    public var enhancedCode: String?
    /// The server's text, without the codes. The user can see it.
    public var text: String

    public init(code: Int, enhancedCode: String? = nil, text: String) {
        self.code = code
        self.enhancedCode = enhancedCode
        self.text = text
    }

    /// Whether another try later may succeed (a 4xx code).
    public var isTransient: Bool { (400..<500).contains(code) }
}

/// A submission server's verdict on a message. `SubmissionOutcome.init(_:)` makes of it what a session returns.
public enum SMTPOutcome: Sendable, Hashable, Codable {
    /// The server accepted the message for all recipients except those in `refused`, which maps addresses of
    /// `Envelope.rcptTo` to the server's replies.
    case accepted(SMTPReply, refused: [String: SMTPReply])
    /// The server accepted the message for no recipient. `refused` holds replies about single recipients, as
    /// far as there are any.
    case rejected(SMTPReply, refused: [String: SMTPReply])
    /// The connection was lost after the message and before the server's reply, so the message may have been
    /// sent.
    case unknown
}

/// Why the network could not be used.
public enum NetworkError: Error, Hashable, Codable {
    /// This device has no network connection.
    case offline
    /// The host name was not found, or the server did not answer within 30 seconds.
    case unreachable(host: String, reason: String)
    /// The certificate is not valid for the host, or the server does not offer TLS 1.2.
    case insecure(host: String, reason: String)
    /// The host is neither in the plugin's manifest nor entered by the user.
    case hostNotAllowed(host: String)
    /// The response breaks the protocol or is too large.
    case badAnswer(host: String, reason: String)
    /// The server refused the password or token.
    case loginRefused(host: String, reply: String)
    /// The connection was closed, by either side.
    case closed(host: String)
    /// The task was canceled.
    case cancelled
    /// The sink or source that the plugin passed in threw, or the request cannot be sent as it is.
    case local(reason: String)
}
