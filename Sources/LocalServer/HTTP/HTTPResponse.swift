import Digest
import FoundationEssentials
import JMAP

/// An answer: status, headers, and a body that is there or is made while it is sent.
struct HTTPResponse: Sendable {
    enum Body: Sendable {
        case data(Data)
        /// The producer writes to the pipe and returns at the end; an error aborts the response. Without a
        /// size it may run for hours, and the connection is watched for the client's disconnect.
        case stream(size: Int?, @Sendable (BytePipe) async throws -> Void)
        /// The connection leaves HTTP with status 101, and belongs to this.
        case upgrade(UpgradedConnection.Limits, @Sendable (UpgradedConnection) async -> Void)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body

    init(_ status: Int, _ headers: [(name: String, value: String)] = [], body: Body = .data(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A short digest for the header `ETag`. Without SHA-256 on this system, it is different each time.
    static func entityTag(of data: Data) -> String {
        "\"\((SHA256.of(data) ?? .randomSecret()).prefix(12).hex)\""
    }

    static func json(_ data: Data, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status, [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: .data(data))
    }

    static func html(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status, [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: .data(Data(text.utf8)))
    }

    /// Problem details (RFC 7807), as RFC 8620 has them.
    static func problem(_ problem: RequestProblem) -> HTTPResponse {
        struct Details: Encodable {
            var type: String
            var status: Int
            var detail: String
            var limit: String?
        }
        let details = Details(
            type: problem.type, status: problem.status, detail: problem.detail, limit: problem.limit)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(details)) ?? Data()
        // A service that names no HTTP status for errors is mistaken, not the client.
        let status = (400...599).contains(problem.status) ? problem.status : 500
        return HTTPResponse(
            status, [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")],
            body: .data(data))
    }

    static func problem(_ status: Int, _ detail: String) -> HTTPResponse {
        problem(RequestProblem(status: status, detail: detail))
    }

    /// A limit of the core capability that was passed (RFC 8620, section 3.6.1).
    static func limit(_ name: String, status: Int, _ detail: String) -> HTTPResponse {
        problem(
            RequestProblem(
                type: "urn:ietf:params:jmap:error:limit", status: status, detail: detail, limit: name))
    }

    /// With one more header.
    func with(_ name: String, _ value: String) -> HTTPResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }
}
