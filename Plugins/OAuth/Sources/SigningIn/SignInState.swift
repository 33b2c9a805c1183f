import FoundationEssentials
public import MailKernelAPI

/// The state of a sign-in between two of its steps, which `AuthorizationStep` carries. It is never stored.
public protocol SignInState: Codable {}

extension SignInState {
    /// For `AuthorizationStep`.
    public var secret: Secret {
        Secret(String(decoding: (try? JSONEncoder().encode(self)) ?? Data(), as: UTF8.self))
    }

    public init(_ secret: Secret) throws(AccountError) {
        guard let state = try? JSONDecoder().decode(Self.self, from: Data(secret.revealed.utf8)) else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        self = state
    }
}
