import FoundationEssentials
import MailKernelAPI
import Secrets
import Store

/// How the vault is opened when the program starts, where there is one.
struct VaultOptions {
    private static let attempts = 3

    private let keyFile: URL?

    init(_ arguments: inout Arguments) throws(UsageError) {
        keyFile = try arguments.value("--vault-key-file").map { URL(filePath: $0) }
    }

    /// Whether the vault is open before the store is, without a passphrase.
    var opensVault: Bool { keyFile != nil }

    /// With a key file, a vault is created if there is none. Otherwise the user is asked, if there is a
    /// terminal, or unlocks it later on the page.
    func open(_ keeper: SecretKeeper, _ log: LogOutput, unless isStopped: () -> Bool) async throws {
        do {
            let state = try await keeper.state
            if let keyFile {
                switch state {
                case .needsVault: try await keeper.createVault(try Passphrase.read(keyFile))
                case .vaultLocked: try await keeper.unlock(try Passphrase.read(keyFile))
                case .vaultOpen, .secretService, .secretServiceMissing: break
                }
            } else if state == .vaultLocked {
                try await ask(keeper, log, isStopped)
            }
        } catch let error as VaultError {
            throw CommandError("\(error)")
        }
    }

    private func ask(_ keeper: SecretKeeper, _ log: LogOutput, _ isStopped: () -> Bool) async throws {
        for _ in 0..<Self.attempts {
            guard let passphrase = Passphrase.ask("Vault passphrase: ", unless: isStopped) else {
                break
            }
            // An empty line: later.
            if passphrase.revealed.isEmpty { break }
            do {
                return try await keeper.unlock(passphrase)
            } catch VaultError.wrongPassphrase {
                print("\(VaultError.wrongPassphrase)")
            }
        }
        log.write(
            .warning, "mailkernel",
            "The vault is locked, so accounts cannot sign in. Start with --vault-key-file, or from a terminal, to "
                + "unlock it.")
    }
}
