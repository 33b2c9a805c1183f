import FoundationEssentials
import MailKernelAPI

/// Sends requests for one plugin, and follows redirects as far as its hosts go.
struct RequestRunner: Sendable {
    /// The largest answer that is kept in memory.
    static let answerLimit = 4 * 1024 * 1024
    private static let redirectLimit = 10
    /// The URL and the body determine the framing of the body and the host.
    private static let ownHeaders: Set<String> = [
        "authorization", "connection", "content-length", "expect", "host", "keep-alive",
        "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    ]

    let pool: CurlPool
    let hosts: HostRules
    let addresses: AddressRules
    let proxies: Proxies
    let patience: Patience
    var followsRedirects = true

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await run(request, limit: patience.answer) { _ throws(NetworkError) in nil }
    }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        try await run(request, limit: nil) { response throws(NetworkError) in
            guard (200..<300).contains(response.status) else { return nil }
            do {
                try await head(response)
            } catch {
                throw Self.local(error)
            }
            return sink
        }
    }

    /// - Parameter receiver: who takes the body of an answer with this head; nil to put it into the answer.
    private func run(
        _ request: HTTPRequest, limit: Duration?,
        receiver: (HTTPResponse) async throws(NetworkError) -> (any ByteSink)?
    ) async throws(NetworkError) -> HTTPResponse {
        var next = try wire(request, limit: limit)
        for _ in 0...Self.redirectLimit {
            let answer = try await once(next.request, receiver)
            guard followsRedirects, (300..<400).contains(answer.status), answer.status != 304,
                let location = answer.headers["location"]
            else { return answer }
            next = try redirect(next, answer.status, to: location)
        }
        throw .badAnswer(host: next.request.host, reason: "too many redirects")
    }

    private func once(
        _ request: WireRequest, _ receiver: (HTTPResponse) async throws(NetworkError) -> (any ByteSink)?
    ) async throws(NetworkError) -> HTTPResponse {
        let id = try await pool.begin(request)
        if let body = request.body { Task { await pool.send(body, for: id) } }
        do {
            let answer = try await take(id, request.host, receiver)
            await pool.forget(id)
            return answer
        } catch {
            await pool.forget(id)
            throw error
        }
    }

    private func take(
        _ id: CurlPool.TransferID, _ host: String,
        _ receiver: (HTTPResponse) async throws(NetworkError) -> (any ByteSink)?
    ) async throws(NetworkError) -> HTTPResponse {
        let head = try await pool.head(of: id)
        var answer = HTTPResponse(status: head.status, headers: head.headers, body: Data())
        let sink = try await receiver(answer)
        while let bytes = try await pool.body(of: id) {
            if Task.isCancelled { throw .cancelled }
            if let sink {
                do {
                    try await sink.write(bytes)
                } catch {
                    throw Self.local(error)
                }
            } else {
                guard answer.body.count + bytes.count <= Self.answerLimit else {
                    throw .badAnswer(host: host, reason: "its response is larger than 4 MiB")
                }
                answer.body.append(bytes)
            }
        }
        return answer
    }

    /// Checks a request, before anything of it leaves.
    private func wire(
        _ request: HTTPRequest, limit: Duration?
    ) throws(NetworkError) -> (request: WireRequest, url: CurlURL) {
        guard let url = CurlURL(request.url.absoluteString) else {
            throw .local(reason: "the request's URL is invalid")
        }
        try check(url, from: nil)
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(Self.isTokenByte) else {
            throw .local(reason: "the request's method is invalid")
        }
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), Self.isLine(value),
                !Self.ownHeaders.contains(name.lowercased())
            else { throw .local(reason: "the request's header “\(name)” cannot be sent") }
        }
        guard Self.isLine(request.bearer?.revealed ?? "") else {
            throw .local(reason: "the request's token cannot be sent")
        }
        let wire = WireRequest(
            method: request.method, url: url.text, host: url.host, port: url.port, headers: request.headers,
            body: request.body, bearer: request.bearer, purpose: request.purpose,
            proxy: proxies.proxy(for: url.host, isStream: false), limit: limit,
            silence: request.silence ?? patience.stall)
        return (wire, url)
    }

    private func redirect(
        _ last: (request: WireRequest, url: CurlURL), _ status: Int, to location: String
    ) throws(NetworkError) -> (request: WireRequest, url: CurlURL) {
        guard let url = last.url.following(location) else {
            throw .badAnswer(host: last.request.host, reason: "it redirects to an invalid URL")
        }
        try check(url, from: last.request.host)
        var request = last.request
        (request.url, request.host, request.port) = (url.text, url.host, url.port)
        request.proxy = proxies.proxy(for: url.host, isStream: false)
        // As browsers do it (RFC 9110, 15.4).
        if status == 303 && request.method != "HEAD"
            || [301, 302].contains(status) && request.method == "POST"
        {
            request.method = "GET"
            request.body = nil
            request.headers = request.headers.filter { !$0.key.lowercased().hasPrefix("content-") }
        }
        // The token is for who it was given for.
        if !url.isSameOrigin(as: last.url) {
            request.bearer = nil
            request.headers = request.headers.filter { $0.key.lowercased() != "cookie" }
        }
        return (request, url)
    }

    /// - Parameter origin: the host that redirects there; nil if the plugin itself asks.
    private func check(_ url: CurlURL, from origin: String?) throws(NetworkError) {
        guard url.scheme == "https" else {
            let reason = "only https URLs are allowed"
            throw .insecure(
                host: url.host,
                reason: origin.map { "\($0) redirects to a URL without encryption; \(reason)" } ?? reason
            )
        }
        guard hosts.allow(url.host), addresses.allowsName(url.host) else {
            throw .hostNotAllowed(host: url.host)
        }
        guard !url.hasLogin else { throw .local(reason: "the URL contains a user name or password") }
    }

    private static func local(_ error: any Error) -> NetworkError {
        Task.isCancelled ? .cancelled : .local(reason: "\(error)")
    }

    /// What names of methods and headers are made of (RFC 9110, 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether it fits into a header without ending it.
    private static func isLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == UInt8(ascii: "\t") }
    }
}
