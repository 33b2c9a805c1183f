/// A password or token. Printing it, logging it or inspecting it with a mirror shows nothing.
///
/// It is not `Codable`, so that saving the value around it cannot put it into a file. Secrets travel separately.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself. Pass it on; keep no copy.
    public let revealed: String

    public init(_ revealed: String) {
        self.revealed = revealed
    }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One plugin's or account's own part of the user's secret store.
public protocol SecretStore: Sendable {
    /// The secret of this name, or nil if there is none.
    func secret(named name: String) async throws(SecretError) -> Secret?

    /// Stores the secret, replacing one of the same name. It is safely stored when this returns.
    func store(_ secret: Secret, named name: String) async throws(SecretError)

    /// Deletes the secret. It is not an error if there is none.
    func removeSecret(named name: String) async throws(SecretError)
}

/// Why a secret could not be read or stored.
public enum SecretError: Error, Hashable, Codable {
    /// The store is locked and the user did not unlock it. Another try later can succeed.
    case locked
    /// There is no secret store, or it cannot be used. The user sees the reason.
    case unavailable(reason: String)
}
