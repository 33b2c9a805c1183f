public import FoundationEssentials
public import MailKernelAPI

/// A network for tests that offers only what it implements; every other call throws `.offline`.
public protocol OfflineNetwork: PluginNetwork {}

extension OfflineNetwork {
    public func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { throw .offline }

    public func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse { throw .offline }

    public func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream { throw .offline }

    public func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome { throw .offline }
}

/// A network on which every call throws `.offline`.
public struct NoNetwork: OfflineNetwork {
    public init() {}
}

extension HTTPRequest {
    /// The whole body, as a network of a test needs it. Empty if there is none.
    public func wholeBody() async throws(NetworkError) -> Data {
        guard let body else { return Data() }
        do {
            return try await body.read(at: 0, count: body.size)
        } catch {
            throw .local(reason: "\(error)")
        }
    }
}
