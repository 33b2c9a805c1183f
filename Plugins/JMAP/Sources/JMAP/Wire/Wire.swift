import FoundationEssentials
import MailKernelAPI
import WebCalls

/// Sends the requests of one account.
struct Wire: Sendable {
    /// A batch of mail with its texts; larger ones are asked for in smaller pieces.
    static let answerLimit = 64 * 1_024 * 1_024
    /// A server may take long to collect a batch, and sends nothing meanwhile.
    private static let silence = Duration.seconds(180)

    let network: any PluginNetwork
    let proof: Proof
    let clock: any HostClock
    let lanes = Lanes(4)

    /// The session resource at this URL.
    ///
    /// - Parameter account: the account whose mail is read; nil if the service may choose.
    func resource(at url: URL, account: String?) async throws(WireFailure) -> Resource {
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": "application/json"], bearer: try await secret(),
            purpose: "find the mailbox")
        let response = try await collect(request)
        do {
            return try Resource(try Self.decode(JSONValue.self, response.body), base: url, account: account)
        } catch let error as WireFailure {
            throw error
        } catch {
            throw .account(error as? AccountError ?? .badAnswer("the session cannot be read"))
        }
    }

    /// Calls methods in one request.
    func call(
        _ calls: [Call], _ using: [String], at resource: Resource, purpose: String
    ) async throws(WireFailure) -> Answer {
        let request: JSONValue = [
            "using": .array(using.map { .string($0) }), "methodCalls": .array(calls.map(\.json)),
        ]
        guard let body = try? JSONEncoder().encode(request) else {
            throw .account(.local(reason: "The request cannot be written."))
        }
        let headers = ["Content-Type": "application/json", "Accept": "application/json"]
        let post = HTTPRequest(
            "POST", resource.api, headers: headers, body: DataSource(body), bearer: try await secret(),
            purpose: purpose, silence: Self.silence)
        return try Self.decode(Answer.self, try await collect(post).body)
    }

    /// Hands over bytes; returns the id of the blob.
    func upload(
        _ bytes: any ByteSource, type: String, at resource: Resource, purpose: String
    ) async throws(WireFailure) -> String {
        guard bytes.size <= resource.uploadSize else {
            throw .account(.refused("This is larger than the service allows."))
        }
        let url = try Self.account { () throws(AccountError) in try resource.upload() }
        let request = HTTPRequest(
            "POST", url, headers: ["Content-Type": type, "Accept": "application/json"], body: bytes,
            bearer: try await secret(), purpose: purpose)
        let json = try Self.decode(JSONValue.self, try await collect(request).body)
        guard let blob = json["blobId"]?.stringValue, Id<Blob>(blob).isValid else {
            throw .account(.badAnswer("an upload has no blobId"))
        }
        return blob
    }

    func download(_ blob: String, at resource: Resource, into sink: any ByteSink) async throws(WireFailure) {
        guard Id<Blob>(blob).isValid else { throw .account(.badAnswer("a blobId is invalid")) }
        let url = try Self.account { () throws(AccountError) in
            try resource.download(blob: blob, type: "application/octet-stream")
        }
        let request = HTTPRequest("GET", url, bearer: try await secret(), purpose: "read mail")
        do throws(WireFailure) {
            _ = try await run(request, into: sink)
        } catch {
            throw error.isMoved ? .account(.notFound) : error
        }
    }

    /// Reads the service's events until it ends them. False if it has none (Cyrus).
    func listen(
        at url: URL, into sink: any ByteSink, begins: @escaping @Sendable () -> Void
    ) async throws(WireFailure) -> Bool {
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": "text/event-stream", "Cache-Control": "no-cache"],
            bearer: try await secret(), purpose: "wait for mail", silence: .seconds(200))
        let response = try await renewing(request) { [network] request throws(NetworkError) in
            try await network.download(request, into: sink) { head in
                if Self.isStream(head) { begins() }
            }
        }
        if [204, 404, 405, 501].contains(response.status) { return false }
        try Self.check(response, of: request)
        return Self.isStream(response)
    }

    private static func isStream(_ head: HTTPResponse) -> Bool {
        head.status == 200
            && head.headers["content-type"]?.lowercased().hasPrefix("text/event-stream") == true
    }

    private func collect(_ request: HTTPRequest) async throws(WireFailure) -> HTTPResponse {
        let sink = Collector(limit: Self.answerLimit)
        do throws(WireFailure) {
            var response = try await run(request, into: sink)
            response.body = await sink.bytes
            return response
        } catch {
            throw await sink.isFull ? .tooLarge : error
        }
    }

    private func run(
        _ request: HTTPRequest, into sink: any ByteSink
    ) async throws(WireFailure) -> HTTPResponse {
        if Task.isCancelled { throw .network(.cancelled) }
        let response = try await renewing(request) { [network, lanes] request throws(NetworkError) in
            try await lanes.run { () async throws(NetworkError) in
                try await network.download(request, into: sink) { _ in }
            }
        }
        try Self.check(response, of: request)
        return response
    }

    /// Sends a request, and once more with another token if the service has refused the first: tokens can end
    /// before their time.
    private func renewing(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws(NetworkError) -> HTTPResponse
    ) async throws(WireFailure) -> HTTPResponse {
        func sent(_ request: HTTPRequest) async throws(WireFailure) -> HTTPResponse {
            do throws(NetworkError) { return try await send(request) } catch { throw .network(error) }
        }
        let response = try await sent(request)
        guard response.status == 401, proof.renewed != nil, let refused = request.bearer else {
            return response
        }
        var again = request
        do throws(AccountError) {
            again.bearer = try await proof.secret(refused: refused)
        } catch {
            throw .account(error)
        }
        return try await sent(again)
    }

    private static func check(_ response: HTTPResponse, of request: HTTPRequest) throws(WireFailure) {
        guard !(200..<300).contains(response.status) else { return }
        throw .status(response, host: request.url.host(percentEncoded: false) ?? "the service")
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ data: Data
    ) throws(WireFailure) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .unreadable
        }
    }

    private static func account<Value>(
        _ body: () throws(AccountError) -> Value
    ) throws(WireFailure) -> Value {
        do throws(AccountError) { return try body() } catch { throw .account(error) }
    }

    private func secret() async throws(WireFailure) -> Secret {
        do throws(AccountError) { return try await proof.secret() } catch { throw .account(error) }
    }
}
