import FoundationEssentials
import Kernel
import MailKernelAPI
import Secrets

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
                print("The vault is made. Without its passphrase nobody can open it, you neither.")
            case "passphrase":
                let old = try ask("The passphrase as it is: ")
                try await keeper.unlock(old)
                try await keeper.changePassphrase(from: old, to: try new())
                print("The vault has a new passphrase.")
            case .some(let other): throw UsageError("“vault \(other)” does not exist.")
            }
        } catch let error as VaultError {
            throw CommandError("\(error)")
        }
    }

    private static func new() throws -> Secret {
        let first = try ask("A new passphrase for the vault, at least 8 characters: ")
        guard try ask("The same again: ") == first else { throw CommandError("The two were not the same.") }
        return first
    }

    private static func ask(_ question: String) throws -> Secret {
        guard let answer = Passphrase.ask(question) else {
            throw CommandError("There is no terminal to ask for the passphrase.")
        }
        return answer
    }

    private static func sentence(_ state: SecretKeeper.State) -> String {
        switch state {
        case .secretService: "The desktop's secret store keeps passwords and tokens. No vault is needed."
        case .secretServiceMissing:
            "The desktop's secret store keeps passwords and tokens, and it cannot be reached from here."
        case .needsVault: "There is no vault yet. “mailkernel vault create” makes it."
        case .vaultLocked, .vaultOpen: "A vault keeps passwords and tokens."
        }
    }
}
