import FoundationEssentials
import MailKernelAPI
import WebCalls

/// A request within a batch (`/$batch`).
struct Subrequest: Sendable {
    /// As many as Microsoft takes at once.
    static let most = 20

    var method = "GET"
    /// After the version.
    let path: String
    var body: JSONValue?

    func json(_ id: Int) -> JSONValue {
        var headers: [String: JSONValue] = ["Prefer": .string(GraphWire.immutableIDs)]
        if body != nil { headers["Content-Type"] = "application/json" }
        var json: [String: JSONValue] = [
            "id": .string("\(id)"), "method": .string(method), "url": .string(path),
            "headers": .object(headers),
        ]
        json["body"] = body
        return .object(json)
    }
}

/// What came for a request within a batch.
enum Reply: Sendable {
    case json(JSONValue)
    case bytes(Data)
    case refused(Refusal)
    /// The batch has no answer to it.
    case missing

    var json: JSONValue? { if case .json(let json) = self { json } else { nil } }

    /// - Throws: if it is not a success.
    func success() throws(GraphFailure) -> JSONValue {
        switch self {
        case .json(let json): return json
        case .bytes: return .null
        case .refused(let refusal): throw .status(refusal)
        case .missing: throw .unreadable
        }
    }
}

extension GraphWire {
    private struct Answer: Decodable {
        let responses: [Lenient<Response>]
    }

    private struct Response: Decodable, Sendable {
        let id: String
        let status: Int
        let headers: [String: String]?
        let text: String?
        let body: JSONValue?

        enum Key: CodingKey { case id, status, headers, body }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            id = try values.decode(String.self, forKey: .id)
            status = try values.decode(Int.self, forKey: .status)
            headers = try? values.decodeIfPresent([String: String].self, forKey: .headers)
            text = try? values.decodeIfPresent(String.self, forKey: .body)
            body = text == nil ? try values.decodeIfPresent(JSONValue.self, forKey: .body) : nil
        }

        var reply: Reply {
            guard (200..<300).contains(status) else {
                let named = (headers ?? [:]).map { ($0.key.lowercased(), $0.value) }
                return .refused(
                    Refusal(
                        status: status, headers: Dictionary(named) { first, _ in first },
                        error: body?["error"]))
            }
            guard let text else { return .json(body ?? .null) }
            return .bytes(Self.bytes(text))
        }

        /// Bodies that are not JSON come as base64, of either alphabet. Those of text may come as they are: the first
        /// line of a message has a colon.
        private static func bytes(_ text: String) -> Data {
            if text.utf8.prefix(1_000).contains(UInt8(ascii: ":")) { return Data(text.utf8) }
            if let data = Data(base64Encoded: text) { return data }
            var padded = text.replacing("-", with: "+").replacing("_", with: "/").filter { !$0.isWhitespace }
            while padded.utf8.count % 4 != 0 { padded += "=" }
            return Data(base64Encoded: padded) ?? Data(text.utf8)
        }
    }

    /// Up to 20 requests in one. A reply for each, in order.
    func batch(_ requests: [Subrequest], purpose: String) async throws(GraphFailure) -> [Reply] {
        guard !requests.isEmpty else { return [] }
        let list = JSONValue.array(requests.enumerated().map { $1.json($0) })
        guard let body = try? JSONEncoder().encode(["requests": list] as JSONValue) else {
            throw .account(.local(reason: "The request cannot be written."))
        }
        let request = HTTPRequest(
            "POST", try url("/$batch"),
            headers: ["Content-Type": "application/json", "Accept": "application/json"],
            body: DataSource(body), purpose: purpose, silence: .seconds(180))
        let answer = try Self.decode(Answer.self, try await collect(request).body)
        var replies = [Reply](repeating: .missing, count: requests.count)
        for response in answer.responses.compactMap(\.value) {
            guard let index = Int(response.id), replies.indices.contains(index) else { continue }
            let reply = response.reply
            if case .refused(let refusal) = reply, let claims = refusal.claims { challenged(claims) }
            replies[index] = reply
        }
        return replies
    }

    /// Any number of requests that need not wait for one another, in several batches at a time.
    func batches(_ requests: [Subrequest], purpose: String) async throws(GraphFailure) -> [Reply] {
        var replies: [Reply] = []
        for wave in requests.slices(of: Subrequest.most * Self.mostRequests) {
            replies += try await together(Array(wave), purpose: purpose)
        }
        return replies
    }

    private typealias Part = (index: Int, replies: Result<[Reply], GraphFailure>)

    private func together(_ requests: [Subrequest], purpose: String) async throws(GraphFailure) -> [Reply] {
        let parts = await withTaskGroup(of: Part.self) { group in
            for (index, part) in requests.slices(of: Subrequest.most).enumerated() {
                group.addTask {
                    do throws(GraphFailure) {
                        return (index, .success(try await self.batch(Array(part), purpose: purpose)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [Part]()) { $0.append($1) }
        }
        var replies: [Reply] = []
        for part in parts.sorted(by: { $0.index < $1.index }) { replies += try part.replies.get() }
        return replies
    }
}
