import FoundationEssentials
import MailKernelAPI
import PluginCalls
import Secrets
import Store

/// `mailkernel plugins secret`: saves a password for a plugin whose users do not enter it on the page.
struct PluginSecretCommand {
    private let folders: KernelFolders
    private let file: URL?
    private let id: String
    private let name: String

    init(_ arguments: inout Arguments) throws {
        folders = try CommonOptions.folders(&arguments, isDemo: false)
        file = try arguments.value("--file").map { URL(filePath: $0) }
        guard let id = arguments.word(), let name = arguments.word() else {
            throw UsageError("“plugins secret” needs the ID of a plugin and the name of the secret.")
        }
        (self.id, self.name) = (id, name)
        try arguments.finish()
    }

    func run() async throws {
        try folders.create()
        // While the program runs the vault is its own.
        let lock = try InstanceLock(folder: folders.data)
        defer { withExtendedLifetime(lock) {} }
        let keeper = SecretKeeper(folder: folders.data, environment: ProcessInfo.processInfo.environment)
        do {
            if try await keeper.state == .vaultLocked {
                try await keeper.unlock(try VaultCommand.ask("Vault passphrase: "))
            }
            let secret = try file.map(Passphrase.read) ?? VaultCommand.ask("Secret “\(name)” of \(id): ")
            try await keeper.drawer(of: .plugin(id)).store(secret, named: name)
        } catch let error as VaultError {
            throw CommandError("\(error)")
        } catch let error as SecretError {
            throw CommandError(AccountError.secrets(error).sentence)
        }
        print("The secret was saved.")
    }
}
