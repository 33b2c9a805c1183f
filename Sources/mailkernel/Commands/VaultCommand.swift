import FoundationEssentials
import MailKernelAPI
import Secrets
import Store

/// Makes the vault, and changes its passphrase.
enum VaultCommand {
    static func run(_ arguments: inout Arguments) async throws {
        let command = arguments.word()
        let folders = try CommonOptions.folders(&arguments, isDemo: false)
        try arguments.finish()
        try folders.create()
        // While the program runs the vault is its own.
        let lock = try InstanceLock(folder: folders.data)
        defer { withExtendedLifetime(lock) {} }
        let keeper = SecretKeeper(folder: folders.data, environment: ProcessInfo.processInfo.environment)
        do {
            switch command {
            case nil: print(sentence(try await keeper.state))
            case "create":
                guard try await keeper.state == .needsVault else {
                    return print(sentence(try await keeper.state))
                }
                try await keeper.createVault(try new())
                print("The vault was created. A forgotten passphrase cannot be recovered.")
            case "passphrase":
                let old = try ask("Current passphrase: ")
                try await keeper.unlock(old)
                try await keeper.changePassphrase(from: old, to: try new())
                print("The passphrase was changed.")
            case .some(let other): throw UsageError("“vault \(other)” does not exist.")
            }
        } catch let error as VaultError {
            throw CommandError("\(error)")
        }
    }

    private static func new() throws -> Secret {
        let first = try ask("New passphrase for the vault (at least 8 characters): ")
        guard try ask("Repeat the new passphrase: ") == first else {
            throw CommandError("The passphrases do not match.")
        }
        return first
    }

    static func ask(_ question: String) throws -> Secret {
        guard let answer = Passphrase.ask(question) else {
            throw CommandError("This command needs a terminal to ask for the passphrase.")
        }
        return answer
    }

    private static func sentence(_ state: SecretKeeper.State) -> String {
        switch state {
        case .secretService: "The desktop's secret store keeps passwords and tokens, so no vault is needed."
        case .secretServiceMissing:
            "The desktop's secret store keeps passwords and tokens, but cannot be reached from here."
        case .needsVault: "There is no vault yet. “mailkernel vault create” creates one."
        case .vaultLocked, .vaultOpen: "A vault keeps passwords and tokens."
        }
    }
}
