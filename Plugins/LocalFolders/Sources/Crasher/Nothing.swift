import FoundationEssentials
import MailKernelAPI

/// Host services that folders have no use for, and the system's clock. Not the conformance kit's: the
/// plugin's release build would have to build that as well.
struct Nothing: SecretStore, HostClock, PluginNetwork {
    var now: Date { Date() }

    func sleep(for seconds: Double) throws(CancellationError) { throw CancellationError() }
    func secret(named name: String) -> Secret? { nil }
    func store(_ secret: Secret, named name: String) {}
    func removeSecret(named name: String) {}

    func send(_ request: HTTPRequest) throws(NetworkError) -> HTTPResponse { throw .offline }
    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) throws(NetworkError) -> HTTPResponse { throw .offline }
    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) throws(NetworkError) -> any ByteStream { throw .offline }
    func submit(_ submission: SMTPSubmission) throws(NetworkError) -> SMTPOutcome { throw .offline }
}
