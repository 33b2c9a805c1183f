import FoundationEssentials
import MailKernelAPI
import WebCalls

/// Sends the requests of one account.
struct GraphWire: Sendable {
    /// Messages keep their ids when they are moved. Wanted with every request.
    static let immutableIDs = "IdType=\"ImmutableId\""
    /// A batch of mail; larger ones are asked for in smaller pieces.
    static let answerLimit = 64 * 1_024 * 1_024
    /// Microsoft lets a program send four requests at a time to a mailbox.
    static let mostRequests = 4
    private static let silence = Duration.seconds(120)

    let network: any PluginNetwork
    let place: Place
    let clock: any HostClock
    /// A valid token; another one than the token that was refused.
    let token: @Sendable (_ refused: Secret?) async throws(AccountError) -> Secret
    /// Receives what a server wants to be proved by the next sign-in.
    let challenged: @Sendable (String) -> Void
    let lanes = Lanes(mostRequests)

    func get(
        _ url: URL, pageSize: Int? = nil, purpose: String = "sync mail"
    ) async throws(GraphFailure) -> Data {
        var prefer = Self.immutableIDs
        if let pageSize { prefer += ", odata.maxpagesize=\(pageSize)" }
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": "application/json", "Prefer": prefer], purpose: purpose,
            silence: Self.silence)
        return try await collect(request).body
    }

    func get<Value: Decodable>(
        _ type: Value.Type, _ path: String, purpose: String = "sync mail"
    ) async throws(GraphFailure) -> Value {
        try Self.decode(type, try await get(try url(path), purpose: purpose))
    }

    /// Sends JSON, or MIME as base64. Nil if the answer is empty.
    func send(
        _ method: String, _ path: String, json: JSONValue? = nil, mime: Data? = nil, purpose: String
    ) async throws(GraphFailure) -> JSONValue? {
        var headers = ["Accept": "application/json", "Prefer": Self.immutableIDs]
        var body = Data()
        if let json {
            guard let encoded = try? JSONEncoder().encode(json) else {
                throw .account(.local(reason: "The request cannot be written."))
            }
            (body, headers["Content-Type"]) = (encoded, "application/json")
        } else if let mime {
            (body, headers["Content-Type"]) = (mime.base64EncodedData(), "text/plain")
        }
        let request = HTTPRequest(
            method, try url(path), headers: headers, body: method == "DELETE" ? nil : DataSource(body),
            purpose: purpose, silence: Self.silence)
        let answer = try await collect(request).body
        return answer.isEmpty ? nil : try Self.decode(JSONValue.self, answer)
    }

    func download(
        _ path: String, into sink: any ByteSink, purpose: String = "read mail"
    ) async throws(GraphFailure) {
        let headers = ["Prefer": Self.immutableIDs]
        _ = try await run(
            HTTPRequest("GET", try url(path), headers: headers, purpose: purpose, silence: Self.silence),
            into: sink)
    }

    /// Sends a piece of an attachment: to a place that needs no token, and gets none.
    func upload(_ piece: Data, _ range: String, to url: URL) async throws(GraphFailure) -> HTTPResponse {
        let request = HTTPRequest(
            "PUT", url, headers: ["Content-Type": "application/octet-stream", "Content-Range": range],
            body: DataSource(piece), purpose: "upload an attachment", silence: Self.silence)
        let sink = Collector(limit: 65_536)
        let response = try await once(request, into: sink)
        try Self.check(response)
        return response
    }

    // MARK: One request

    func collect(_ request: HTTPRequest) async throws(GraphFailure) -> HTTPResponse {
        let sink = Collector(limit: Self.answerLimit)
        do throws(GraphFailure) {
            var response = try await run(request, into: sink)
            response.body = await sink.bytes
            return response
        } catch {
            throw await sink.isFull ? .tooLarge : error
        }
    }

    private func run(
        _ request: HTTPRequest, into sink: any ByteSink
    ) async throws(GraphFailure) -> HTTPResponse {
        var request = request
        let first = try await bearer(refused: nil)
        request.bearer = first
        var response = try await once(request, into: sink)
        // A token can end before its time. What was refused so was not carried out.
        if response.status == 401, try !isChallenge(response) {
            request.bearer = try await bearer(refused: first)
            response = try await once(request, into: sink)
            _ = try isChallenge(response)
        }
        try Self.check(response)
        return response
    }

    private func isChallenge(_ response: HTTPResponse) throws(GraphFailure) -> Bool {
        let refusal = Refusal(response)
        guard let claims = refusal.claims else { return false }
        challenged(claims)
        throw .status(refusal)
    }

    private func once(
        _ request: HTTPRequest, into sink: any ByteSink
    ) async throws(GraphFailure) -> HTTPResponse {
        if Task.isCancelled { throw .network(.cancelled) }
        do throws(NetworkError) {
            return try await lanes.run { [network] () async throws(NetworkError) in
                try await network.download(request, into: sink) { _ in }
            }
        } catch {
            throw .network(error)
        }
    }

    private func bearer(refused: Secret?) async throws(GraphFailure) -> Secret {
        do throws(AccountError) { return try await token(refused) } catch { throw .account(error) }
    }

    func url(_ path: String) throws(GraphFailure) -> URL {
        do throws(AccountError) { return try place.url(path) } catch { throw .account(error) }
    }

    private static func check(_ response: HTTPResponse) throws(GraphFailure) {
        guard !(200..<300).contains(response.status) else { return }
        throw .status(Refusal(response))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(GraphFailure) -> Value {
        do { return try JSONDecoder().decode(type, from: data) } catch { throw .unreadable }
    }
}
