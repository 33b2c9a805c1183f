import Accounts
import MailKernelAPI
import Secrets
import Store

/// What keeps passwords and tokens, as the page shows it and opens it.
package struct SecretVault: Sendable {
    package enum Kind: String, Sendable {
        /// The desktop's store.
        case secretService
        case vault
        /// Nothing yet: a passphrase makes a vault.
        case none
    }

    package enum Access: String, Sendable {
        case open, locked
        /// There is none, or it cannot be reached.
        case absent
    }

    package struct Status: Sendable, Hashable {
        package var kind: Kind
        package var access: Access

        /// It is all there is to say, so it is its own state.
        package var state: State { State(rawValue: "\(kind)-\(access)") }
    }

    package static let dataType = DataType(rawValue: "Vault")

    let keeper: SecretKeeper?
    let accounts: Accounts
    package let news: StateNews

    package var status: Status {
        get async throws(VaultError) {
            guard let keeper else { return Status(kind: .none, access: .absent) }
            return switch try await keeper.state {
            case .secretService: Status(kind: .secretService, access: .open)
            case .secretServiceMissing: Status(kind: .secretService, access: .absent)
            case .needsVault: Status(kind: .none, access: .absent)
            case .vaultLocked: Status(kind: .vault, access: .locked)
            case .vaultOpen: Status(kind: .vault, access: .open)
            }
        }
    }

    /// Unlocks the vault, or creates it if there is none. Accounts that waited for it continue.
    package func open(with passphrase: Secret) async throws(VaultError) {
        guard let keeper else { throw .notInUse }
        if try await keeper.state == .needsVault {
            try await keeper.createVault(passphrase)
        } else {
            try await keeper.unlock(passphrase)
        }
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, try await status.state)])
        await accounts.tryAgain()
    }
}
