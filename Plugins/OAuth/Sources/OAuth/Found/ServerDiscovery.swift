public import FoundationEssentials
public import MailKernelAPI

/// Asks servers how people sign in there.
public struct ServerDiscovery: Sendable {
    private let network: any PluginNetwork

    public init(network: any PluginNetwork) { self.network = network }

    /// An issuer as servers name it: https, without a query.
    public static func issuer(_ text: String) -> URL? {
        WebPlace.read(text).flatMap { $0.query() == nil ? $0 : nil }
    }

    /// What the server says about itself: at the place of RFC 8414, or else where OpenID Connect has it.
    public func metadata(of issuer: URL) async throws(DiscoveryFailure) -> ServerMetadata {
        let (origin, path) = (WebPlace.origin(issuer), WebPlace.path(issuer))
        var failure = DiscoveryFailure.notFound
        for place in [
            "\(origin)/.well-known/oauth-authorization-server\(path)",
            "\(origin)\(path)/.well-known/openid-configuration",
        ] {
            guard let url = URL(string: place) else { throw .unsafePlace }
            do throws(DiscoveryFailure) {
                return try ServerMetadata(try await bytes(at: url), of: issuer)
            } catch {
                // Some servers answer every address with a page.
                guard error == .notFound || error == .notUnderstood else { throw error }
                if failure == .notFound { failure = error }
            }
        }
        throw failure
    }

    /// - Parameters:
    ///   - place: as `ResourceMetadata.place` found it.
    ///   - asked: the address that was refused without a token.
    public func resource(at place: URL, of asked: URL) async throws(DiscoveryFailure) -> ResourceMetadata {
        try ResourceMetadata(try await bytes(at: place), of: asked)
    }

    private func bytes(at url: URL) async throws(DiscoveryFailure) -> Data {
        let request = HTTPRequest(
            "GET", url, headers: ["Accept": "application/json"], purpose: "find out how to sign in",
            silence: .seconds(15))
        let answer: HTTPResponse
        do throws(NetworkError) {
            answer = try await network.send(request)
        } catch {
            // More than four megabytes.
            if case .badAnswer = error { throw .notUnderstood }
            throw .network(error)
        }
        switch answer.status {
        case 200: return answer.body
        case 408, 429, 500...: throw .busy(status: answer.status)
        default: throw .notFound
        }
    }
}
