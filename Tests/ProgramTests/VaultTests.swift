import Foundation
import TestSupport
import Testing

@Suite("The vault, from the command line", .timeLimit(.minutes(10))) struct VaultCommandTests {
    private static let passphrase = "correct horse battery"

    private func onTerminal(_ program: Installed, _ answers: [String], _ words: String...) async throws
        -> CommandResult
    {
        let typed = String(decoding: try JSONEncoder().encode(answers), as: UTF8.self)
        return try await Command.run(
            URL(filePath: "/usr/bin/python3"),
            [Checkout.root.appending(path: "Tests/Servers/terminal.py").path, typed, Checkout.program.path]
                + words
                + ["--data", program.data.path, "--config", program.configuration.path],
            environment: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": program.place.url.path])
    }

    @Test func itIsMadeAndChangedAtATerminalThatShowsNoPassphrase() async throws {
        let program = try Installed()
        let made = try await onTerminal(program, [Self.passphrase, Self.passphrase], "vault", "create")
        #expect(made.status == 0 && made.output.contains("The vault was created."), "\(made.output)")
        let wrong = try await onTerminal(program, ["not this one"], "vault", "passphrase")
        #expect(
            wrong.status == 1 && wrong.output.contains("The passphrase is wrong."),
            "\(wrong.output)")
        let new = "another passphrase"
        let changed = try await onTerminal(program, [Self.passphrase, new, new], "vault", "passphrase")
        #expect(changed.status == 0 && changed.output.contains("was changed"), "\(changed.output)")
        for output in [made.output, wrong.output, changed.output] {
            #expect(!output.contains(Self.passphrase) && !output.contains(new))
        }
        #expect(
            try await program.run("vault", loadsPlugins: false).output
                == "A vault keeps passwords and tokens.\n")
    }

    @Test func aPasswordForAPluginIsSaved() async throws {
        let program = try Installed()
        _ = try await onTerminal(program, [Self.passphrase, Self.passphrase], "vault", "create")
        let vault = program.data.appending(path: "vault")
        let empty = try Data(contentsOf: vault)
        let saved = try await onTerminal(
            program, [Self.passphrase, "of the plugin"], "plugins", "secret", "org.example.plugin", "password"
        )
        #expect(saved.status == 0 && saved.output.contains("The secret was saved."), "\(saved.output)")
        #expect(!saved.output.contains("of the plugin"))
        #expect(try Data(contentsOf: vault) != empty)
        let unnamed = try await program.run("plugins", "secret", "org.example.plugin", loadsPlugins: false)
        #expect(unnamed.status == 64)
    }

    @Test func twoDifferentAnswersMakeNothing() async throws {
        let program = try Installed()
        let made = try await onTerminal(program, [Self.passphrase, "something else"], "vault", "create")
        #expect(made.status == 1 && made.output.contains("do not match"))
        #expect(!FileManager.default.fileExists(atPath: program.data.appending(path: "vault").path))
    }

    @Test func aKeyFileMakesItAndOpensIt() async throws {
        let program = try Installed()
        let key = try program.place.write(Self.passphrase + "\n", to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        for _ in 0..<2 {
            let running = try program.start("--vault-key-file", key.path)
            #expect(await running.line(containing: "is ready"))
            running.signal(SIGTERM)
            let result = await running.result()
            #expect(result.status == 0 && !result.errors.contains("vault"), "\(result.errors)")
            #expect(FileManager.default.fileExists(atPath: program.data.appending(path: "vault").path))
        }
        try Data("another passphrase".utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let refused = try await program.start("--vault-key-file", key.path).result()
        #expect(refused.status == 1 && refused.errors.contains("The passphrase is wrong."))
    }

    @Test func aKeyFileForEverybodyIsRefused() async throws {
        let program = try Installed()
        let key = try program.place.write(Self.passphrase, to: "key")
        let refused = try await program.start("--vault-key-file", key.path).result()
        #expect(refused.status == 1 && refused.errors.contains("chmod go-rwx"))
    }

    @Test func withoutATerminalItStaysLocked() async throws {
        let program = try Installed()
        let made = try await onTerminal(program, [Self.passphrase, Self.passphrase], "vault", "create")
        #expect(made.status == 0)
        // In a session of its own there is no terminal.
        let running = try Command(
            URL(filePath: "/usr/bin/setsid"),
            [
                "--wait", Checkout.program.path, "--plugins", Checkout.mockPlugins.path, "--no-browser",
                "--data", program.data.path, "--config", program.configuration.path,
            ], environment: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": program.place.url.path])
        #expect(await running.errorLine(containing: "The vault is locked"))
        #expect(await running.line(containing: "is ready"))
        kill(
            try #require(
                pid_t(
                    try String(contentsOf: program.data.appending(path: "lock"), encoding: .utf8)
                        .trimmingCharacters(in: .newlines))), SIGTERM)
        _ = await running.result()
    }
}
