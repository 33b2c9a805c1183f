import FoundationEssentials
import MailKernelAPI

/// A sign-in with a code on another device (RFC 8628).
struct DeviceSignIn: Sendable, Codable {
    static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    let deviceCode: String
    let userCode: String
    let page: URL
    let filledPage: URL?
    /// In seconds since 1970.
    let ends: Double
    /// Seconds between two questions.
    let interval: Double

    /// Less than the kernel waits.
    private static let longest = 1_500.0
    private static let intervals = 1.0...60.0
    private static let slower = 5.0
    private static let codeLimit = 4_096
    private static let userCodeLimit = 64

    var shown: SignInCode { SignInCode(code: userCode, page: page, filledPage: filledPage) }

    /// - Parameters:
    ///   - bytes: the server's answer, which may be anything.
    ///   - issuer: with the host that the user has agreed to. A code for the page of another service would let this
    ///     server into the user's account there.
    init(_ bytes: Data, of issuer: URL, at now: Date) throws(DiscoveryFailure) {
        guard bytes.count <= ServerMetadata.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes), let device = answer.deviceCode,
            let user = answer.userCode, let page = answer.page,
            Self.isPlain(device, limit: Self.codeLimit), Self.isPlain(user, limit: Self.userCodeLimit)
        else { throw .notUnderstood }
        guard let page = WebPlace.read(page) else { throw .unsafePlace }
        guard WebPlace.isBeside(page, issuer) else { throw .otherPage }
        deviceCode = device
        userCode = user
        self.page = page
        // The user has to see where the link leads.
        filledPage = answer.filledPage.flatMap(WebPlace.read).flatMap {
            WebPlace.origin($0) == WebPlace.origin(page) ? $0 : nil
        }
        let lifetime = answer.lifetime ?? Self.longest
        guard lifetime > 0, lifetime.isFinite else { throw .notUnderstood }
        ends = now.timeIntervalSince1970 + min(lifetime, Self.longest)
        interval = min(max(answer.interval ?? 5, Self.intervals.lowerBound), Self.intervals.upperBound)
    }

    private static func isPlain(_ text: String, limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private struct Answer: Decodable {
        let deviceCode: String?
        let userCode: String?
        let page: String?
        let filledPage: String?
        let lifetime: Double?
        let interval: Double?

        enum CodingKeys: String, CodingKey {
            case deviceCode = "device_code"
            case userCode = "user_code"
            case page = "verification_uri"
            case filledPage = "verification_uri_complete"
            case lifetime = "expires_in"
            case interval
        }
    }

    // MARK: Asking

    private enum Verdict {
        case granted(TokenGrant)
        case pending
        /// The server wants to be asked less often, or cannot answer.
        case slower
        case failed(AccountError)
    }

    /// Waits until the user has entered the code.
    ///
    /// - Throws: `.denied` if the user refused.
    func wait(
        at endpoint: TokenEndpoint, client: OAuthClient, clock: any HostClock
    ) async throws(AccountError) -> TokenGrant {
        var interval = interval
        while clock.now.timeIntervalSince1970 + interval < ends {
            do throws(CancellationError) { try await clock.sleep(for: interval) } catch { throw .cancelled }
            switch try await ask(endpoint, client) {
            case .granted(let grant): return grant
            case .pending: break
            case .slower: interval = min(interval + Self.slower, Self.intervals.upperBound)
            case .failed(let error): throw error
            }
        }
        throw .authenticationRequired(reason: "The code has expired. Try again to get a new one.")
    }

    private func ask(
        _ endpoint: TokenEndpoint, _ client: OAuthClient
    ) async throws(AccountError) -> Verdict {
        var items = [
            (name: "grant_type", value: Self.grant), ("device_code", deviceCode), ("client_id", client.id),
        ]
        if let secret = client.secret { items.append(("client_secret", secret.revealed)) }
        let answer: HTTPResponse
        do throws(TokenFailure) {
            answer = try await endpoint.post(items, to: endpoint.service.token, purpose: "sign in")
        } catch {
            if case .network(.cancelled) = error { throw .cancelled }
            // The code stays good while the network is away.
            return error.isPassing || error == .network(.offline)
                ? .slower : .failed(error.accountError(endpoint.service))
        }
        switch answer.status {
        case 200:
            do throws(TokenFailure) { return .granted(try TokenGrant(answer.body)) } catch {
                return .failed(error.accountError(endpoint.service))
            }
        case 408, 429, 500...: return .slower
        default: return Self.verdict(answer.body, endpoint.service)
        }
    }

    /// Why no code was issued; nil if the server cannot issue one at the moment.
    static func refusal(_ answer: HTTPResponse) -> TokenFailure.Refusal? {
        struct Answer: Decodable { let error: String }
        guard (400..<500).contains(answer.status), ![408, 429].contains(answer.status) else { return nil }
        guard answer.body.count <= ServerMetadata.sizeLimit,
            let known = try? JSONDecoder().decode(Answer.self, from: answer.body)
        else { return .somethingElse }
        return TokenFailure.Refusal(known.error)
    }

    private static func verdict(_ bytes: Data, _ service: OAuthService) -> Verdict {
        struct Answer: Decodable { let error: String }
        guard bytes.count <= ServerMetadata.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes)
        else { return .failed(TokenFailure.notUnderstood.accountError(service)) }
        switch answer.error {
        case "authorization_pending": return .pending
        case "slow_down", "temporarily_unavailable", "server_error": return .slower
        case "access_denied": return .failed(.denied)
        case "expired_token":
            let reason = "The code has expired. Try again to get a new one."
            return .failed(.authenticationRequired(reason: reason))
        default: return .failed(TokenFailure.refused(.init(answer.error)).accountError(service))
        }
    }
}
