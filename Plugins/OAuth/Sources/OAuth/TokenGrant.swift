import FoundationEssentials
public import MailKernelAPI

/// What a service gave.
public struct TokenGrant: Sendable {
    public let accessToken: Secret
    /// How many seconds the access token is good for.
    public let lifetime: Double
    /// Nil where the one that is there stays good.
    public let refreshToken: Secret?
    /// Nil if they are those that were asked for.
    public let scopes: Set<String>?

    /// More than any service gives, and far less than would be trouble to read.
    static let sizeLimit = 64 * 1_024
    private static let tokenLimit = 16 * 1_024

    /// - Parameter bytes: the answer, which may be anything.
    init(_ bytes: Data) throws(TokenFailure) {
        guard bytes.count <= Self.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes),
            let access = answer.accessToken, Self.isToken(access),
            answer.refreshToken.map(Self.isToken) ?? true,
            answer.tokenType.map({ $0.lowercased() == "bearer" }) ?? true
        else { throw .notUnderstood }
        accessToken = Secret(access)
        refreshToken = answer.refreshToken.map { Secret($0) }
        scopes = answer.scope.map { Set($0.split(separator: " ").map(String.init)) }
        // A lifetime below half a minute would cause endless renewals.
        lifetime = min(max(answer.expiresIn?.seconds ?? 300, 30), 86_400)
    }

    /// What fits into a command or a header without ending it.
    private static func isToken(_ text: String) -> Bool {
        (1...tokenLimit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private struct Answer: Decodable {
        let accessToken: String?
        let refreshToken: String?
        let tokenType: String?
        let scope: String?
        let expiresIn: Seconds?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case tokenType = "token_type"
            case scope
            case expiresIn = "expires_in"
        }
    }

    /// Some services write the number as a text.
    private struct Seconds: Decodable {
        let seconds: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                seconds = number
            } else {
                seconds = Double(try container.decode(String.self)) ?? 0
            }
            guard seconds.isFinite else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a number")
            }
        }
    }
}
