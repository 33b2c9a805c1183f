import FoundationEssentials
import MailKernelAPI

/// A request for one address, checked, as libcurl is given it.
struct WireRequest: Sendable {
    var method: String
    var url: String
    var host: String
    var port: Int
    var headers: [String: String]
    var body: (any ByteSource)?
    var bearer: Secret?
    var purpose: String
    /// The proxy to go through, with its scheme.
    var proxy: String?
    /// How long all of it may take; nil for as long as bytes keep coming.
    var limit: Duration?
    /// How long the server may be silent.
    var silence: Duration

    /// The value of `Authorization`. Tokens contain no spaces (RFC 6750, 2.1): a secret that begins with “Basic ” is a
    /// user name and password as RFC 7617 writes them, for services that give no tokens.
    var authorization: String? {
        bearer.map { $0.revealed.hasPrefix("Basic ") ? $0.revealed : "Bearer \($0.revealed)" }
    }
}

/// The response before the body.
struct WireHead: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
}

/// How long is waited for what.
struct Patience: Sendable {
    /// For a connection, its encryption included.
    var connecting: Duration = .seconds(30)
    /// For the next byte of an answer, or room for the next to be sent.
    var stall: Duration = .seconds(60)
    /// For a whole answer of `send`.
    var answer: Duration = .seconds(300)
    /// How long an unused connection is kept.
    var idle: Duration = .seconds(30)
    /// For a mail server's verdict on a message that it has received in full (RFC 5321, 4.5.3.2.6).
    var verdict: Duration = .seconds(600)
}
