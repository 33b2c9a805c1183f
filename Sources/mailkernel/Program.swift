import FoundationEssentials
import Glibc
import Secrets

/// The command line: which command is meant, and what becomes of its errors.
@main enum Program {
    static func main() async {
        // From here on, all files are readable only by the user, including those of plugins and libraries.
        umask(0o077)
        // Before any secret is in memory.
        ProcessProtection.begin()
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            fail("\(error.sentence) See “mailkernel --help”.", 64)
        } catch let error as CommandError {
            fail(error.sentence, 1)
        } catch {
            fail("\(error)", 1)
        }
    }

    private static func run(_ words: [String]) async throws {
        if words.contains("--help") || words.contains("-h") {
            return print(Help.text(for: words.first { !$0.hasPrefix("-") }))
        }
        var arguments = Arguments(words)
        if words.first == "--version" {
            return print("mailkernel \(Installation.version)")
        }
        let command = words.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        if command != nil { _ = arguments.word() }
        switch command {
        case nil, "serve": try await ServeCommand(&arguments).run()
        case "plugins": try await PluginsCommand.run(&arguments)
        case "open": try OpenCommand(&arguments).run()
        case "import":
            let result = try await ImportCommand(&arguments).run()
            if result != .whole { exit(result.rawValue) }
        case "token": try TokenCommand.run(&arguments)
        case "vault": try await VaultCommand.run(&arguments)
        case "lock": try await LockCommand(&arguments).run()
        case "connections": try ConnectionsCommand(&arguments).run()
        case "storage": try await StorageCommand.run(&arguments)
        case "doctor": try await DoctorCommand(&arguments).run()
        case "help": print(Help.text(for: arguments.word()))
        case .some(let other): throw UsageError("Unknown command “\(other)”.")
        }
    }

    private static func fail(_ sentence: String, _ code: CInt) -> Never {
        let line = "mailkernel: \(sentence)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(code)
    }
}
