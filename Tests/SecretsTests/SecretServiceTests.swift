import Foundation
import TestSupport
import Testing

/// gnome-keyring on a session bus of its own.
final class Keyring: Sendable {
    let place: TemporaryFolder
    let address: String
    private let process: Command

    init(hasService: Bool = true) async throws {
        place = try TemporaryFolder()
        process = try Command(
            Checkout.root.appending(path: "Tests/Servers/keyring.sh"),
            [place.url.path] + (hasService ? [] : ["none"]))
        guard await process.line(containing: "\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        address = process.outputSoFar.trimmingCharacters(in: .newlines)
    }

    deinit { process.signal(SIGTERM) }

    /// What a process on this bus answers.
    func ask(_ folder: URL, _ words: String...) async throws -> String {
        try await Trial.ask(folder, words, ["DBUS_SESSION_BUS_ADDRESS": address])
    }

    /// Locks the store, as a desktop does it when its user leaves.
    func lock() async throws {
        let answer = try await Command.run(
            URL(filePath: "/usr/bin/dbus-send"),
            [
                "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.secrets",
                "/org/freedesktop/secrets",
                "org.freedesktop.Secret.Service.Lock",
                "array:objpath:/org/freedesktop/secrets/collection/login",
            ])
        guard answer.status == 0 else { throw CannotStart(description: answer.errors) }
    }
}

enum Trial {
    static let program = Checkout.root.appending(path: ".build/debug/secrets-trial")

    static func ask(_ folder: URL, _ words: [String], _ environment: [String: String]) async throws -> String
    {
        var all = ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder.path]
        all.merge(environment) { _, new in new }
        let result = try await Command.run(program, [folder.path] + words, environment: all)
        return result.output.trimmingCharacters(in: .newlines)
    }
}

/// FR-ACCT-04: tokens live in the secret store only.
@Suite("The desktop's secret store, which is gnome-keyring", .timeLimit(.minutes(10)))
struct SecretServiceTests {
    @Test func secretsAreKeptFoundReplacedAndForgotten() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        #expect(try await keyring.ask(folder.url, "state") == "secretService")
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "nothing")
        #expect(try await keyring.ask(folder.url, "put", "a", "token", "one") == "done")
        #expect(try await keyring.ask(folder.url, "put", "a", "token", "grüße 🗝") == "done")
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "grüße 🗝")
        #expect(try await keyring.ask(folder.url, "remove", "a", "token") == "done")
        #expect(try await keyring.ask(folder.url, "remove", "a", "token") == "done")
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "nothing")
    }

    @Test func nobodySeesAnotherDrawerOrAnotherFolder() async throws {
        let keyring = try await Keyring()
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        #expect(try await keyring.ask(folder.url, "get", "b", "token") == "nothing")
        #expect(try await keyring.ask(other.url, "get", "a", "token") == "nothing")
        // A folder of the same secrets, wherever it was moved.
        let moved = try TemporaryFolder()
        let name = "secrets.json"
        try Data(contentsOf: folder.url.appending(path: name)).write(to: moved.url.appending(path: name))
        #expect(try await keyring.ask(moved.url, "get", "a", "token") == "one")
    }

    /// FR-ACCT-05: the secrets of an account go with it.
    @Test func removingADrawerLeavesTheOthers() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        _ = try await keyring.ask(folder.url, "put", "a", "password", "two")
        _ = try await keyring.ask(folder.url, "put", "b", "token", "three")
        #expect(try await keyring.ask(folder.url, "remove", "a") == "done")
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "nothing")
        #expect(try await keyring.ask(folder.url, "get", "a", "password") == "nothing")
        #expect(try await keyring.ask(folder.url, "get", "b", "token") == "three")
    }

    @Test func noSecretIsInTheDataFolder() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "a-token-to-look-for")
        let found = try await Command.run(
            "grep", ["-r", "a-token-to-look-for", folder.url.path, keyring.place.url.path])
        #expect(found.status == 1 && found.output.isEmpty)
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "a-token-to-look-for")
    }

    @Test func aLockedStoreIsLocked() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        try await keyring.lock()
        // No user can be asked to unlock it.
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "error: locked")
    }

    /// FR-ACCT-05: what could not be removed is not said to be.
    @Test func whatIsLockedIsNotSaidToBeRemoved() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        try await keyring.lock()
        #expect(try await keyring.ask(folder.url, "remove", "a", "token") == "error: locked")
        #expect(try await keyring.ask(folder.url, "remove", "a") == "error: locked")
        #expect(try await keyring.ask(folder.url, "wipe") == "error: locked")
        // There is nothing of another drawer to be asked for.
        #expect(try await keyring.ask(folder.url, "remove", "b") == "done")
    }

    @Test func wipingRemovesEveryDrawer() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        _ = try await keyring.ask(folder.url, "put", "b", "token", "two")
        let note = try Data(contentsOf: folder.url.appending(path: "secrets.json"))
        #expect(try await keyring.ask(folder.url, "wipe") == "done")
        // As if the note of where they are had been kept.
        try note.write(to: folder.url.appending(path: "secrets.json"))
        #expect(try await keyring.ask(folder.url, "get", "a", "token") == "nothing")
        #expect(try await keyring.ask(folder.url, "get", "b", "token") == "nothing")
    }

    @Test func aBusWithoutAStoreMeansAVault() async throws {
        let keyring = try await Keyring(hasService: false)
        let folder = try TemporaryFolder()
        #expect(try await keyring.ask(folder.url, "state") == "needsVault")
        #expect(try await keyring.ask(folder.url, "put", "a", "token", "one") == "error: locked")
    }

    /// What the desktop keeps is not quietly started again elsewhere.
    @Test func withoutTheDesktopItsSecretsAreOutOfReach() async throws {
        let keyring = try await Keyring()
        let folder = try TemporaryFolder()
        _ = try await keyring.ask(folder.url, "put", "a", "token", "one")
        #expect(try await Trial.ask(folder.url, ["state"], [:]) == "secretServiceMissing")
        let answer = try await Trial.ask(folder.url, ["get", "a", "token"], [:])
        #expect(answer.contains("Start mailkernel inside the desktop session."))
    }
}

@Suite("The process keeps its memory to itself", .timeLimit(.minutes(10))) struct ProtectionTests {
    /// Run as an unprivileged user, because root may read everything.
    @Test func nobodyElseOfTheSameUserMayLookIn() async throws {
        try #require(getuid() == 0, "this test changes the user, which only root may")
        let folder = try TemporaryFolder()
        let process = try Command(
            URL(filePath: "/usr/bin/setpriv"),
            ["--reuid=65534", "--regid=65534", "--clear-groups", Trial.program.path, folder.url.path, "wait"])
        defer { process.signal(SIGKILL) }
        #expect(await process.line(containing: "protected\n"))
        #expect(process.outputSoFar == "protected\n")
        // The system gives the files of such a process to root.
        let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(process.processID)/environ")
        #expect(owner[.ownerAccountID] as? Int == 0)
        let limits = try String(contentsOfFile: "/proc/\(process.processID)/limits", encoding: .utf8)
        #expect(limits.contains(/Max core file size +0 +0/))
    }
}
