public import FoundationEssentials
public import MailKernelAPI

/// Host services that a plugin has no use for while it is killed, and the system's clock.
public struct Nothing: SecretStore, HostClock, PluginNetwork {
    public init() {}

    public var now: Date { Date() }

    public func sleep(for seconds: Double) throws(CancellationError) { throw CancellationError() }
    public func secret(named name: String) -> Secret? { nil }
    public func store(_ secret: Secret, named name: String) {}
    public func removeSecret(named name: String) {}

    public func send(_ request: HTTPRequest) throws(NetworkError) -> HTTPResponse { throw .offline }
    public func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) throws(NetworkError) -> HTTPResponse { throw .offline }
    public func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) throws(NetworkError) -> any ByteStream { throw .offline }
    public func submit(_: any ByteSource, _: SMTPSubmission) throws(NetworkError) -> SMTPOutcome {
        throw .offline
    }
}
