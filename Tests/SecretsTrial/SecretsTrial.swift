import FoundationEssentials
import Glibc
import MailKernelAPI
import Secrets

/// Does with the secrets of a folder what its arguments say, on the session bus of its environment:
/// `secrets-trial FOLDER state`, `get OWNER NAME`, `put OWNER NAME SECRET`, `remove OWNER [NAME]`, `wipe`, `wait`.
/// A process of its own, since libsecret stays on the bus that it finds first.
@main enum SecretsTrial {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else { exit(64) }
        let keeper = SecretKeeper(
            folder: URL(filePath: words[0]), environment: ProcessInfo.processInfo.environment)
        do {
            print(try await answer(words[1], Array(words.dropFirst(2)), keeper))
        } catch {
            print("error: \(error)")
        }
    }

    private static func answer(_ command: String, _ words: [String], _ keeper: SecretKeeper) async throws
        -> String
    {
        let owner = SecretKeeper.Owner.plugin(words.first ?? "")
        let drawer = keeper.drawer(of: owner)
        switch (command, words.count) {
        case ("state", 0): return "\(try await keeper.state)"
        case ("get", 2): return try await drawer.secret(named: words[1])?.revealed ?? "nothing"
        case ("put", 3): try await drawer.store(Secret(words[2]), named: words[1])
        case ("remove", 2): try await drawer.removeSecret(named: words[1])
        case ("remove", 1): try await keeper.removeDrawer(of: owner)
        case ("wipe", 0): try await keeper.removeAll()
        case ("wait", 0):
            print(ProcessProtection.begin() ? "protected" : "not protected")
            fflush(nil)
            pause()
        default: exit(64)
        }
        return "done"
    }
}
