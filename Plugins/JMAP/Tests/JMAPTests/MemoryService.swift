import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// A JMAP service in memory, reached without a network: one account, its mail, and faults on request.
final class MemoryService: OfflineNetwork {
    /// What happens instead of an answer.
    enum Fault: Sendable {
        case fail(NetworkError)
        case answer(Int, [String: String], String)
        /// The request is carried out, and its answer is lost.
        case loseAnswer(NetworkError)
    }

    struct Request: Sendable {
        let method: String
        let url: URL
        let calls: [JSONValue]

        var names: [String] { calls.compactMap { $0.arrayValue?.first?.stringValue } }
    }

    static let host = "mail.example.test"
    let address = "ada@example.test"
    let password = "correct horse"
    let token = "fmu1-token"
    let state: Watched<MemoryMailbox>
    let issuer = Watched(MemoryIssuer())
    private let hosts: Set<String>
    /// How long each answer takes.
    private let latency: Duration
    /// Requests that are under way, and the most that were at once.
    private let load = Watched<(now: Int, most: Int)>((0, 0))
    /// Where the well-known place leads; empty if the server never says.
    private let redirect: String?
    private let journal = Watched<[Request]>([])
    /// Looked at before each request.
    private let fault: @Sendable (Request, _ number: Int) -> Fault?

    init(
        _ start: MemoryMailbox = MemoryMailbox(), hosts: Set<String> = [MemoryService.host],
        latency: Duration = .zero,
        redirect: String? = nil,
        fault: @escaping @Sendable (Request, _ number: Int) -> Fault? = { _, _ in nil }
    ) {
        state = Watched(start)
        self.hosts = hosts
        self.latency = latency
        self.redirect = redirect
        self.fault = fault
    }

    var requests: [Request] { journal.value }
    var mostAtOnce: Int { load.value.most }

    private func travel() async {
        guard latency > .zero else { return }
        load.withLock { load in
            load.now += 1
            load.most = max(load.most, load.now)
        }
        // The way to a service takes time: there is no event to wait for.
        try? await Task.sleep(for: latency)
        load.withLock { $0.now -= 1 }
    }

    /// Small answers: how people sign in, and the session without a password.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        guard issuer.value.isOffered else { throw .offline }
        let host = request.url.host(percentEncoded: false) ?? ""
        guard hosts.contains(host) else { throw .hostNotAllowed(host: host) }
        let path = request.url.path()
        if host == MemoryIssuer.host || path == "/.well-known/oauth-protected-resource" {
            let body = String(decoding: try await request.wholeBody(), as: UTF8.self)
            return issuer.withLock { $0.answer(request, body) }
        }
        return HTTPResponse(status: 401, headers: ["www-authenticate": Self.challenge], body: Data())
    }

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        guard let redirect, endpoint.host == Self.host, security == .tls else { throw .offline }
        return RedirectingStream(redirect)
    }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        guard hosts.contains(request.url.host(percentEncoded: false) ?? "") else {
            throw .hostNotAllowed(host: request.url.host(percentEncoded: false) ?? "")
        }
        let body = try await request.wholeBody()
        let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        let seen = Request(
            method: request.method, url: request.url, calls: json?["methodCalls"]?.arrayValue ?? [])
        let number = journal.withLock { journal in
            journal.append(seen)
            return journal.count
        }
        let fault = fault(seen, number)
        switch fault {
        case .fail(let error): throw error
        case .answer(let status, let headers, let text):
            let response = HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
            return try await Self.deliver(response, into: sink, head)
        case .loseAnswer, nil: break
        }
        guard isSignedIn(request.bearer) else {
            return HTTPResponse(
                status: 401, headers: [:], body: Data(#"{"detail":"Wrong password."}"#.utf8))
        }
        if request.url.path() == "/events", state.value.hasEvents {
            return try await events(into: sink, head)
        }
        await travel()
        let response = answer(request, body, json)
        if case .loseAnswer(let error) = fault { throw error }
        return try await Self.deliver(response, into: sink, head)
    }

    private func isSignedIn(_ proof: Secret?) -> Bool {
        let basic = "Basic " + Data("\(address):\(password)".utf8).base64EncodedString()
        return proof?.revealed == basic || proof?.revealed == token
            || issuer.value.tokens.contains(proof?.revealed ?? "")
    }

    private func answer(_ request: HTTPRequest, _ body: Data, _ json: JSONValue?) -> HTTPResponse {
        let path = request.url.path()
        switch (request.method, path) {
        case ("GET", "/.well-known/jmap"), ("GET", "/jmap/session"),
            ("GET", "/other/session"):
            return Self.json(state.value.session)
        case ("GET", "/events"): return HTTPResponse(status: 204, headers: [:], body: Data())
        case ("POST", "/api"):
            let answer = state.withLock { $0.answer(json ?? .null) }
            return Self.json(answer)
        case ("POST", _) where path.hasPrefix("/upload/"):
            let blob = state.withLock { $0.keep(body) }
            return Self.json([
                "accountId": "u1", "blobId": .string(blob), "size": .number(Double(body.count)),
            ])
        case ("GET", _) where path.hasPrefix("/download/"):
            let blob = path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
            guard let bytes = state.value.blobs[blob] else { break }
            return HTTPResponse(status: 200, headers: [:], body: bytes)
        default: break
        }
        return HTTPResponse(
            status: 404, headers: ["content-type": "text/html"], body: Data("<h1>No</h1>".utf8))
    }

    private func events(
        into sink: any ByteSink, _ head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        let response = HTTPResponse(status: 200, headers: ["content-type": "text/event-stream"], body: Data())
        do {
            var last = state.value.emailState
            try await head(response)
            for await _ in state.changes() {
                let now = state.value.emailState
                guard now != last else { continue }
                last = now
                let event = #"{"@type":"StateChange","changed":{"u1":{"Email":"\#(now)"}}}"#
                try await sink.write(Data(": ping\r\nevent: state\r\ndata: \(event)\r\n\r\n".utf8))
            }
        } catch {
            throw .local(reason: "\(error)")
        }
        throw .cancelled
    }

    private static func json(_ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [:], body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    /// In pieces, as bytes arrive.
    private static func deliver(
        _ response: HTTPResponse, into sink: any ByteSink,
        _ head: @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        guard (200..<300).contains(response.status) else { return response }
        var rest = response.body[...]
        do {
            try await head(HTTPResponse(status: response.status, headers: response.headers, body: Data()))
            while !rest.isEmpty {
                if Task.isCancelled { throw NetworkError.cancelled }
                try await sink.write(Data(rest.prefix(65_536)))
                rest = rest.dropFirst(65_536)
            }
        } catch let error as NetworkError {
            throw error
        } catch {
            throw .local(reason: "\(error)")
        }
        return HTTPResponse(status: response.status, headers: response.headers, body: Data())
    }
}

/// A server that redirects, a few bytes at a time.
private final class RedirectingStream: ByteStream {
    private let rest: Watched<Data>

    init(_ place: String) {
        let head = "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: \(place)\r\n\r\n"
        rest = Watched(place.isEmpty ? Data() : Data(head.utf8))
    }

    func read(upTo count: Int) async throws(NetworkError) -> Data? {
        if rest.value.isEmpty {
            // It stays open without a byte until the reader is canceled.
            try? await Task.sleep(for: .seconds(600))
            throw .cancelled
        }
        return rest.withLock { rest in
            defer { rest = Data(rest.dropFirst(min(count, 100))) }
            return Data(rest.prefix(min(count, 100)))
        }
    }

    func write(_ bytes: Data) async throws(NetworkError) {
        let head = "GET /.well-known/jmap HTTP/1.1\r\nHost: \(MemoryService.host)\r\n"
        guard bytes.starts(with: Data(head.utf8)) else {
            throw .closed(host: MemoryService.host)
        }
    }

    func startTLS() async throws(NetworkError) {}
    func close() async {}
}
