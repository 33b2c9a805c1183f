import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// Microsoft Graph in memory, reached without a network: one mailbox, the sign-in, and faults on request. It follows
/// the published protocol as far as the plugin uses it.
final class GraphServer: OfflineNetwork {
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
        let bearer: String?
        let headers: [String: String]
        let body: Data
        /// The paths of a batch.
        let inner: [String]

        var path: String { url.path(percentEncoded: false) }
    }

    static let host = "graph.microsoft.com"
    static let loginHost = "login.microsoftonline.com"
    static let uploadHost = "outlook.office.com"
    let state: Watched<GraphMailbox>
    let journal = Watched<[Request]>([])
    /// How long each request takes.
    private let latency: Duration?
    /// Looked at before each request.
    private let fault: @Sendable (Request, _ number: Int) -> Fault?
    /// Looked at before each request of a batch.
    private let innerFault: @Sendable (_ method: String, _ path: String) -> (Int, [String: String], String)?

    init(
        _ start: GraphMailbox = GraphMailbox(), latency: Duration? = nil,
        fault: @escaping @Sendable (Request, _ number: Int) -> Fault? = { _, _ in nil },
        innerFault: @escaping @Sendable (String, String) -> (Int, [String: String], String)? = { _, _ in nil }
    ) {
        state = Watched(start)
        self.latency = latency
        self.innerFault = innerFault
        self.fault = fault
    }

    var requests: [Request] { journal.value }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let body = try await request.wholeBody()
        return state.withLock { $0.login.answer(String(decoding: body, as: UTF8.self)) }
    }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let host = request.url.host(percentEncoded: false) ?? ""
        guard [Self.host, Self.uploadHost].contains(host) else { throw .hostNotAllowed(host: host) }
        if let latency {
            do { try await Task.sleep(for: latency) } catch { throw .cancelled }
        }
        let body = try await request.wholeBody()
        let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        let seen = Request(
            method: request.method, url: request.url, bearer: request.bearer?.revealed,
            headers: request.headers,
            body: body, inner: (json?["requests"]?.arrayValue ?? []).compactMap { $0["url"]?.stringValue })
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
        let response = answer(request, host, body, json)
        if case .loseAnswer(let error) = fault { throw error }
        return try await Self.deliver(response, into: sink, head)
    }

    private func answer(
        _ request: HTTPRequest, _ host: String, _ body: Data, _ json: JSONValue?
    ) -> HTTPResponse {
        if host == Self.uploadHost {
            let range = request.headers["Content-Range"] ?? ""
            return state.withLock { $0.upload(body, range, request.url.lastPathComponent) }
        }
        guard state.value.login.accepts(request.bearer) else {
            return GraphAnswer.error(401, "InvalidAuthenticationToken", "Lifetime validation failed.")
                .response
        }
        guard request.url.path().hasPrefix("/v1.0/") else {
            return GraphAnswer.error(400, "BadRequest", "Resource not found for the segment.").response
        }
        if request.url.path(percentEncoded: false) == "/v1.0/$batch" { return batch(json) }
        let call = GraphCall(
            request.method, request.url, headers: request.headers, body: body, json: json)
        return state.withLock { $0.answer(call) }.response
    }

    private func batch(_ json: JSONValue?) -> HTTPResponse {
        let requests = json?["requests"]?.arrayValue ?? []
        guard (1...20).contains(requests.count) else {
            return GraphAnswer.error(400, "BadRequest", "A batch has 1 to 20 requests.").response
        }
        var responses: [JSONValue] = []
        // In another order, as Microsoft may.
        for request in requests.reversed() {
            let path = request["url"]?.stringValue ?? ""
            let method = request["method"]?.stringValue ?? "GET"
            var answer: GraphAnswer
            if let (status, headers, text) = innerFault(method, path) {
                if status == 0 { continue }
                answer = GraphAnswer(
                    status: status, json: try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
                answer.headers = headers
            } else if let url = URL(string: "https://\(Self.host)/v1.0\(path)") {
                let headers = (request["headers"]?.objectValue ?? [:]).compactMapValues(\.stringValue)
                let body = request["body"]
                let call = GraphCall(method, url, headers: headers, body: Data(), json: body)
                answer = state.withLock { $0.answer(call) }
            } else {
                answer = .error(400, "BadRequest", "The URL cannot be read.")
            }
            var response: [String: JSONValue] = [
                "id": request["id"] ?? .null, "status": .number(Double(answer.status)),
                "headers": .object(answer.headers.mapValues { .string($0) }),
            ]
            response["body"] = answer.bytes.map { .string($0.base64EncodedString()) } ?? answer.json
            responses.append(.object(response))
        }
        return GraphAnswer(status: 200, json: ["responses": .array(responses)]).response
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

/// A request to Graph, alone or within a batch.
struct GraphCall: Sendable {
    let method: String
    /// After the version and the mailbox.
    let path: [String]
    let query: [String: String]
    let headers: [String: String]
    let body: Data
    let json: JSONValue?

    init(_ method: String, _ url: URL, headers: [String: String], body: Data, json: JSONValue?) {
        self.method = method
        var path = url.path().split(separator: "/").dropFirst().map { String($0).unescaped }
        if path.first == "users" { path.removeFirst(2) } else if path.first == "me" { path.removeFirst() }
        // `mailFolders('ID')` is `mailFolders/ID`.
        if let first = path.first, first.hasPrefix("mailFolders('"), first.hasSuffix("')") {
            path.replaceSubrange(0..<1, with: ["mailFolders", String(first.dropFirst(13).dropLast(2))])
        }
        self.path = path
        var query: [String: String] = [:]
        for item in (url.query() ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            query[parts[0]] = parts.count == 2 ? parts[1].unescaped : ""
        }
        self.query = query
        self.headers = headers
        self.body = body
        self.json = json
    }

    /// `Prefer: odata.maxpagesize`.
    var pageSize: Int? {
        let prefer = headers.first { $0.key.lowercased() == "prefer" }?.value ?? ""
        return prefer.split(separator: ",").compactMap { part in
            let plain = part.filter { $0 != " " }
            return plain.hasPrefix("odata.maxpagesize=") ? Int(plain.dropFirst(18)) : nil
        }.first
    }

    var wantsImmutableIDs: Bool {
        headers.contains { $0.key.lowercased() == "prefer" && $0.value.contains("IdType=\"ImmutableId\"") }
    }
}

struct GraphAnswer: Sendable {
    var status = 200
    var json: JSONValue?
    var bytes: Data?
    var headers: [String: String] = [:]

    init(status: Int = 200, json: JSONValue? = nil, bytes: Data? = nil) {
        (self.status, self.json, self.bytes) = (status, json, bytes)
    }

    static func error(_ status: Int, _ code: String, _ words: String) -> GraphAnswer {
        GraphAnswer(
            status: status, json: ["error": ["code": .string(code), "message": .string(words)]])
    }

    static let notFound = error(404, "ErrorItemNotFound", "The specified object was not found in the store.")
    static let malformed = error(400, "ErrorInvalidIdMalformed", "Id is malformed.")

    var response: HTTPResponse {
        let body = bytes ?? json.flatMap { try? JSONEncoder().encode($0) } ?? Data()
        return HTTPResponse(status: status, headers: headers, body: body)
    }
}
