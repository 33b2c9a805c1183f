import Foundation
import FoundationNetworking
import MailKernelAPI
import MailKernelConformance

/// Reaches a server on this machine without TLS, in the place of a host that has it.
final class LiveNetwork: OfflineNetwork {
    static let host = "live.example.test"

    /// The server's own address, which its session may name.
    private let origin: String

    init(port: Int) { origin = "http://127.0.0.1:\(port)" }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        let wanted = try await urlRequest(request)
        let pieces = Pieces()
        let session = URLSession(configuration: .ephemeral, delegate: pieces, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: wanted).resume()
        var response = HTTPResponse(status: 0, headers: [:], body: Data())
        do {
            for try await piece in pieces.stream {
                switch piece {
                case .head(let first):
                    response = first
                    if (200..<300).contains(first.status) { try await head(first) }
                case .bytes(let bytes):
                    guard (200..<300).contains(response.status) else {
                        response.body += bytes
                        continue
                    }
                    try await sink.write(named(bytes))
                }
            }
        } catch let error as URLError {
            throw Task.isCancelled ? .cancelled : .unreachable(host: Self.host, reason: "\(error)")
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
        guard response.status != 0, !Task.isCancelled else { throw .cancelled }
        return response
    }

    private func urlRequest(_ request: HTTPRequest) async throws(NetworkError) -> URLRequest {
        let text = request.url.absoluteString.replacing("https://\(Self.host)", with: origin)
        guard let url = URL(string: text), text.hasPrefix(origin) else {
            throw .hostNotAllowed(host: request.url.host ?? "")
        }
        var wanted = URLRequest(url: url)
        wanted.httpMethod = request.method
        wanted.timeoutInterval = 60
        for (name, value) in request.headers { wanted.setValue(value, forHTTPHeaderField: name) }
        if let proof = request.bearer?.revealed {
            let value = proof.hasPrefix("Basic ") ? proof : "Bearer \(proof)"
            wanted.setValue(value, forHTTPHeaderField: "Authorization")
        }
        if request.body != nil { wanted.httpBody = try await request.wholeBody() }
        return wanted
    }

    /// The session with the name of the host that stands for the server.
    private func named(_ bytes: Data) -> Data {
        guard bytes.count < 100_000, bytes.firstRange(of: Data("apiUrl".utf8)) != nil else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        return Data(text.replacing(origin, with: "https://\(Self.host)").utf8)
    }
}

/// What arrives of a response, in order.
private final class Pieces: NSObject, URLSessionDataDelegate {
    enum Piece: Sendable {
        case head(HTTPResponse)
        case bytes(Data)
    }

    let stream: AsyncThrowingStream<Piece, any Error>
    private let continuation: AsyncThrowingStream<Piece, any Error>.Continuation

    override init() {
        (stream, continuation) = AsyncThrowingStream.makeStream()
        super.init()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
            continuation.yield(
                .head(HTTPResponse(status: response.statusCode, headers: headers, body: Data())))
        }
        completionHandler(.allow)
    }

    /// The answer 401, which is not shown otherwise.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        continuation.yield(.head(HTTPResponse(status: 401, headers: [:], body: Data())))
        continuation.finish()
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(.bytes(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }
}
