import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization

/// A network with servers that do what a test says, however rude. What it was asked is kept.
final class ServerInMemory: PluginNetwork {
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body = Data()
        /// How the connection ends after the body; nil for in order.
        var end: NetworkError?
        /// The body is followed by silence, until the task is cancelled.
        var stalls = false
    }

    private let asked = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest, _ number: Int) -> Answer
    private let chunk: Int

    init(chunk: Int = 64 << 10, _ answer: @escaping @Sendable (HTTPRequest, _ number: Int) -> Answer) {
        self.chunk = chunk
        self.answer = answer
    }

    /// One that serves files by the last part of their address, and knows what `Range` means.
    convenience init(files: [String: Data], tag: String = "\"1\"") {
        self.init { request, _ in
            guard let file = files[request.url.lastPathComponent] else { return Answer(status: 404) }
            return .file(file, to: request, tag: tag)
        }
    }

    var requests: [HTTPRequest] { asked.withLock { $0 } }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        let number = asked.withLock { asked in
            asked.append(request)
            return asked.count
        }
        let answer = answer(request, number)
        var response = HTTPResponse(status: answer.status, headers: answer.headers, body: Data())
        guard (200..<300).contains(answer.status) else {
            response.body = answer.body
            return response
        }
        do {
            try await head(response)
            for start in stride(from: 0, to: answer.body.count, by: chunk) {
                try Task.checkCancellation()
                try await sink.write(answer.body.dropFirst(start).prefix(chunk))
                await Task.yield()
            }
        } catch {
            throw Task.isCancelled ? .cancelled : .local(reason: "\(error)")
        }
        if answer.stalls { await untilCancelled() }
        if Task.isCancelled { throw .cancelled }
        if let end = answer.end { throw end }
        return response
    }

    func send(_ request: HTTPRequest) throws(NetworkError) -> HTTPResponse { throw .offline }

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) throws(NetworkError) -> any ByteStream { throw .offline }

    func submit(_: any ByteSource, _: SMTPSubmission) throws(NetworkError) -> SMTPOutcome { throw .offline }
}

extension ServerInMemory.Answer {
    /// What a good server answers.
    static func file(_ file: Data, to request: HTTPRequest, tag: String = "\"1\"") -> Self {
        let isSame = request.headers["If-Range"].map { $0 == tag } ?? true
        guard isSame, let start = first(request), start < file.count else {
            return Self(
                status: 200, headers: ["etag": tag, "content-length": "\(file.count)"], body: file)
        }
        return Self(
            status: 206,
            headers: ["etag": tag, "content-range": "bytes \(start)-\(file.count - 1)/\(file.count)"],
            body: file.dropFirst(start))
    }

    /// Where the part begins that was asked for.
    static func first(_ request: HTTPRequest) -> Int? {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else {
            return nil
        }
        return Int(range.dropFirst(6).dropLast())
    }
}
