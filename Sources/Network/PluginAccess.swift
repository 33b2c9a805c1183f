import FoundationEssentials
import MailKernelAPI

/// The network as seen by one plugin.
struct PluginAccess: PluginNetwork {
    private let hosts: HostRules
    private let requests: RequestRunner
    private let streams: StreamOpener

    init(hosts: HostRules, requests: RequestRunner, streams: StreamOpener) {
        self.hosts = hosts
        self.requests = requests
        self.streams = streams
    }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await requests.send(request)
    }

    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse {
        try await requests.download(request, into: sink, head: head)
    }

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        guard hosts.allow(endpoint.host) else { throw .hostNotAllowed(host: endpoint.host) }
        return try await streams.open(endpoint, security, purpose: purpose)
    }

    func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome {
        let host = submission.endpoint.host
        guard hosts.allow(host) else { throw .hostNotAllowed(host: host) }
        return try await SMTPClient(message, submission, opener: streams).submit()
    }
}
