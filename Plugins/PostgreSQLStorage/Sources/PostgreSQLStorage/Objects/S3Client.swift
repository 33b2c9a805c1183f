import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A bucket on a server that speaks S3, reached through the kernel's network.
final class S3Client: Sendable {
    let settings: S3Settings
    private let signer: S3Signer
    private let network: any PluginNetwork
    private let clock: any HostClock

    /// Pauses before a request is sent again that a busy server refused, or whose connection was lost.
    private static let retries = RetrySchedule([0.2, 1, 3])

    init(_ settings: S3Settings, secretKey: Secret, network: any PluginNetwork, clock: any HostClock) {
        self.settings = settings
        self.network = network
        self.clock = clock
        signer = S3Signer(accessKey: settings.accessKey, secretKey: secretKey, region: settings.region)
    }

    /// A request to the bucket, or to an object in it.
    struct Request: Sendable {
        var method: String
        /// Consists of `[A-Za-z0-9/._-]`. Empty for the bucket.
        var name = ""
        var items: [(String, String)] = []
        var headers: [String: String] = [:]
        var body: Data?
        /// What the access key must be allowed to do, and what the list of connections shows.
        var purpose: String
    }

    /// Sends a request, again if that can help.
    ///
    /// - Returns: a 2xx response; nil if the object, upload or part does not exist.
    func send(_ request: Request) async throws(StorageError) -> HTTPResponse? {
        guard let answer = try await send(request, into: { MemorySink() }) else { return nil }
        var response = answer.response
        response.body = answer.sink.bytes
        return response
    }

    /// The same, for a body that does not go into the response.
    ///
    /// - Parameter sink: makes what takes it; called for each attempt.
    func send<Sink: S3Sink>(
        _ request: Request, into sink: @Sendable () -> Sink
    ) async throws(StorageError) -> (response: HTTPResponse, sink: Sink)? {
        var failures = 0
        while true {
            do throws(S3Failure) {
                let receiver = sink()
                return try await once(request, receiver).map { (response: $0, sink: receiver) }
            } catch {
                failures += 1
                guard error.isTemporary, let pause = Self.retries.pause(after: failures) else {
                    throw error.error
                }
                do {
                    try await clock.sleep(for: pause)
                } catch {
                    throw .cancelled
                }
            }
        }
    }

    private func once(_ request: Request, _ sink: some S3Sink) async throws(S3Failure) -> HTTPResponse? {
        let response: HTTPResponse
        do throws(NetworkError) {
            // Not `send`, which limits the size of the response and the time of a slow upload.
            response = try await network.download(try signed(request), into: sink) { sink.begin($0.status) }
        } catch {
            throw sink.problem.map { S3Failure($0) } ?? S3Failure(error, settings)
        }
        guard (200..<300).contains(response.status) else {
            let failure = S3Failure(response, request, settings, now: clock.now)
            guard response.status == 404, !failure.isOfBucket else { throw failure }
            return nil
        }
        return response
    }

    private func signed(_ request: Request) throws(NetworkError) -> HTTPRequest {
        let path = "/\(settings.bucket)" + (request.name.isEmpty ? "" : "/\(request.name)")
        let query = signer.query(
            request.method, host: settings.host, path: path, items: request.items, headers: request.headers,
            at: clock.now)
        guard let query, let url = URL(string: "https://\(settings.host)\(path)?\(query)") else {
            throw .local(reason: "a request to S3 cannot be signed")
        }
        var headers = request.headers
        // libcurl would otherwise call it a form.
        if request.body != nil { headers["Content-Type"] = "application/octet-stream" }
        return HTTPRequest(
            request.method, url, headers: headers, body: request.body.map { DataSource($0) },
            purpose: request.purpose, silence: .seconds(30))
    }
}

/// Takes the body of a response.
protocol S3Sink: ByteSink {
    /// Comes before the first byte.
    func begin(_ status: Int)
    /// Why it took no more.
    var problem: StorageError? { get }
}

/// The body of a response, in memory.
private final class MemorySink: S3Sink {
    private let contents = Mutex(Data())

    func begin(_ status: Int) {}
    func write(_ bytes: Data) { contents.withLock { $0.append(bytes) } }

    var problem: StorageError? { nil }
    var bytes: Data { contents.withLock { $0 } }
}
