/// A password or token. Printing it, logging it or looking into it with a mirror shows nothing.
///
/// It is the one value of this API that is not `Codable`: a secret must not end up in a file because
/// somebody saved the value around it.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself. Hand it on; keep no copy.
    public let revealed: String

    public init(_ revealed: String) {
        self.revealed = revealed
    }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A plugin's own drawer in the user's secret store.
public protocol SecretStore: Sendable {
    /// The secret of this name, or nil if there is none.
    func secret(named name: String) async throws(SecretError) -> Secret?

    /// Keeps the secret, replacing one of the same name. It is safely stored when this returns.
    func store(_ secret: Secret, named name: String) async throws(SecretError)

    /// Forgets it. There being none is not an error.
    func removeSecret(named name: String) async throws(SecretError)
}

public enum SecretError: Error, Hashable, Codable {
    /// The store is locked and the user did not unlock it. Asking again later can succeed.
    case locked
    /// There is no store, or it cannot be used. The reason is for the user.
    case unavailable(reason: String)
}
