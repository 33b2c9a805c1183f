import FoundationEssentials
import JMAP

extension Router {
    /// The session resource (RFC 8620, section 2).
    func session(_ request: HTTPRequest, _ client: JMAPClient) -> Admission {
        .serve(bodyLimit: 0, isKnown: true) { _ in
            await answer(request) { () async throws(RequestProblem) in
                .json(try await service.session(for: client, at: request.sessionURLs))
            }
        }
    }

    /// One request of methods (section 3).
    func api(_ request: HTTPRequest, _ client: JMAPClient) throws(Gatekeeper.Refusal) -> Admission {
        let type = (request.header("content-type") ?? "").split(separator: ";").first?.trimmed.lowercased()
        guard type == "application/json" else {
            var refusal = Gatekeeper.Refusal(400, "")
            refusal.response = .problem(
                RequestProblem(
                    type: "urn:ietf:params:jmap:error:notJSON", status: 400,
                    detail: "The Content-Type has to be application/json."))
            throw refusal
        }
        let most = service.limits.maxSizeRequest
        guard request.contentLength ?? 0 <= most else { throw .tooLarge(Self.requestTooLarge(most)) }
        return .serve(bodyLimit: most, isKnown: true) { body in
            await answer(request) { () async throws(RequestProblem) in
                // A client that is slow to send takes no place of its other requests.
                let call = try await Self.passing(arriving, client, Self.tooManyRequests) {
                    () async throws(RequestProblem) in try await Self.collect(body, most)
                }
                return try await Self.passing(requests, client, Self.tooManyRequests) {
                    () async throws(RequestProblem) in
                    .json(try await service.respond(to: call, for: client, at: request.sessionURLs))
                }
            }
        }
    }

    static let tooManyRequests = RequestProblem(
        type: "urn:ietf:params:jmap:error:limit", status: 429,
        detail: "Too many requests are waiting. Try again later.", limit: "maxConcurrentRequests")

    /// - Throws: what `body` throws, or `tooMany` if too many of this client wait already.
    static func passing<Value: Sendable>(
        _ turnstile: Turnstile, _ client: JMAPClient, _ tooMany: RequestProblem,
        _ body: () async throws(RequestProblem) -> Value
    ) async throws(RequestProblem) -> Value {
        let result = await turnstile.pass(client.name) { () async -> Result<Value, RequestProblem> in
            do throws(RequestProblem) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw tooMany }
        return try result.get()
    }

    private static func requestTooLarge(_ most: Int) -> HTTPResponse {
        .limit("maxSizeRequest", status: 413, "A request is limited to \(most) bytes.")
    }

    /// The whole body, within a minute.
    static func collect(_ body: BytePipe, _ most: Int) async throws(RequestProblem) -> Data {
        let timer = Task {
            try await Task.sleep(for: .seconds(60))
            body.breakOff()
        }
        defer { timer.cancel() }
        var all = Data()
        do {
            while let piece = try await body.next() { all.append(piece) }
        } catch {
            switch error {
            case .interrupted: throw RequestProblem(status: 408, detail: "The request was incomplete.")
            case .tooLong:
                throw RequestProblem(
                    type: "urn:ietf:params:jmap:error:limit", status: 413,
                    detail: "A request is limited to \(most) bytes.", limit: "maxSizeRequest")
            }
        }
        return all
    }

    /// A problem becomes an answer.
    func answer(
        _ request: HTTPRequest, _ body: () async throws(RequestProblem) -> HTTPResponse
    ) async -> HTTPResponse {
        do {
            return try await body()
        } catch {
            return .problem(error)
        }
    }
}

extension Gatekeeper.Refusal {
    static func tooLarge(_ response: HTTPResponse) -> Self {
        var refusal = Self(413, "")
        refusal.response = response
        return refusal
    }
}

extension HTTPRequest {
    var sessionURLs: SessionURLs {
        SessionURLs(
            api: base + "/jmap/api",
            download: base + "/jmap/download/{accountId}/{blobId}/{name}?type={type}",
            upload: base + "/jmap/upload/{accountId}/",
            eventSource: base + "/jmap/events?types={types}&closeafter={closeafter}&ping={ping}",
            webSocket: "\(listener.isTLS ? "wss" : "ws")://\((header("host") ?? "").lowercased())/jmap/ws",
            // By number: another program could answer for a name (RFC 8252, section 8.3).
            signIn: "http://127.0.0.1:\(listener.port)/signin")
    }
}
