import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Asks a server to take the user off a list (RFC 8058): one POST without cookies. A redirect is not followed, and the
/// response is not read beyond its status.
struct OneClickRequest: Sendable {
    private static let deadline = Duration.seconds(30)
    private static let mostIgnored = 65_536

    let network: any PluginNetwork

    func send(to url: URL) async throws {
        let answer = try await withThrowingTaskGroup(of: Int?.self) { group in
            group.addTask { try await self.status(of: url) }
            group.addTask {
                try await Task.sleep(for: Self.deadline)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        let host = url.host ?? "The server"
        guard let status = answer else { throw UnsubscribeError.failed("\(host) did not respond in time.") }
        switch status {
        case 200..<300: return
        case 300..<400:
            throw UnsubscribeError.failed("\(host) did not accept the request, but redirected it.")
        default: throw UnsubscribeError.failed("\(host) did not accept the request (status \(status)).")
        }
    }

    private func status(of url: URL) async throws -> Int {
        let request = HTTPRequest(
            "POST", url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: DataSource(Data("List-Unsubscribe=One-Click".utf8)),
            purpose: "unsubscribe from a mailing list", silence: Self.deadline)
        let head = Mutex<Int?>(nil)
        do throws(NetworkError) {
            return try await network.download(request, into: IgnoredBody(limit: Self.mostIgnored)) {
                response in
                head.withLock { $0 = response.status }
            }.status
        } catch {
            // What follows the status is of no interest.
            if error != .cancelled, let status = head.withLock({ $0 }) { return status }
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: NetworkError) -> any Error {
        let sentence =
            switch error {
            case .offline: "This device has no network connection."
            case .unreachable(let host, _): "\(host) cannot be reached."
            case .insecure(let host, _): "The connection to \(host) is not secure."
            case .hostNotAllowed(let host): "\(host) is not a public server, so it is not asked."
            case .badAnswer(let host, _), .closed(let host), .loginRefused(let host, _):
                "\(host) sent an invalid response."
            case .cancelled: "The request was canceled."
            case .local: "The request could not be sent."
            }
        return UnsubscribeError.failed(sentence)
    }
}

/// Takes a body that is not read.
private actor IgnoredBody: ByteSink {
    private var left: Int

    init(limit: Int) { left = limit }

    func write(_ bytes: Data) throws {
        left -= bytes.count
        if left < 0 { throw CancellationError() }
    }
}
