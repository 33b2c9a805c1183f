import Care
import Foundation
import MailKernelAPI
import MailKernelConformance
import PluginHost
import Secrets
import Store
import Synchronization
import TestSupport
import Testing

@testable import Kernel

@Suite("Another store can be chosen while there is no mail", .timeLimit(.minutes(1)))
struct StoreChoiceTests {
    private let folder: TemporaryFolder
    private let disk = MemoryStorage.Disk()

    init() throws { folder = try TemporaryFolder() }

    /// What the store said when it was tried, and what with.
    private final class Trial: Sendable {
        let problem: String?
        let tried = Mutex<[(settings: PluginSettings, secrets: [String: Secret])]>([])

        init(problem: String? = nil) { self.problem = problem }
    }

    private var folders: KernelFolders {
        KernelFolders(
            data: folder.url.appending(path: "data"), configuration: folder.url.appending(path: "config"))
    }

    private var preferences: PluginPreferences { PluginPreferences(folders) }

    private var keeper: SecretKeeper { SecretKeeper(folder: folders.data, environment: [:]) }

    private func choices(_ trial: Trial?, opensVault: Bool = false) async throws -> StoreChoices {
        try folders.create()
        let plugins = PluginFolder(try folder.folder("plugins"))
        try plugins.add(
            "server",
            manifest: PluginFolder.manifest(
                id: "org.example.server",
                [
                    "kind": "storage", "hosts": ["*"],
                    "settings": [
                        ["name": "connection", "title": "Connection", "kind": "text", "required": true],
                        ["name": "password", "title": "Password", "kind": "secret"],
                    ],
                ]))
        try plugins.add(
            "other", manifest: PluginFolder.manifest(id: "org.example.other", ["kind": "storage"]))
        let loader = PluginLoader(
            memoryFolder: folder.url.appending(path: "memory"), makeHost: { _ in .forTesting() })
        let store = MailStore(MemoryStorage(on: disk))
        _ = try await store.open()
        return StoreChoices(
            store: store, plugins: try loader.load(PluginSelection(folders: [plugins.url])),
            program: ProgramAccess(
                folders: folders,
                tryStore: trial.map { trial in
                    { @Sendable _, _, settings, secrets in
                        trial.tried.withLock { $0.append((settings, secrets)) }
                        return trial.problem
                    }
                }, opensVault: opensVault),
            keeper: keeper)
    }

    @Test func thoseThatAreNotInUseAreOffered() async throws {
        let all = try await choices(Trial()).all()
        #expect(Set(all.map(\.id)) == ["org.example.server", "org.example.other"])
    }

    @Test func noneIsOfferedOnceThereIsAnAccount() async throws {
        let choices = try await choices(Trial())
        try await choices.store.commit([
            .putAccount(
                Account(
                    id: Id("home"), pluginID: "test", address: "me@home.example", displayName: "Me",
                    addedAt: .now))
        ])
        #expect(try await choices.all().isEmpty)
        await #expect(throws: StoreChoices.Problem(sentence: "This place for mail can no longer be chosen."))
        {
            try await choices.use("org.example.server", ["connection": "host=a"])
        }
    }

    @Test func noneIsOfferedWhereTheCommandLineNamesOne() async throws {
        #expect(try await choices(nil).all().isEmpty)
    }

    @Test func aMissingValueIsNamed() async throws {
        let problem = await #expect(throws: StoreChoices.Problem.self) {
            try await choices(Trial()).use("org.example.server", ["connection": " "])
        }
        #expect(problem?.setting == "connection")
        #expect(problem?.sentence == "Enter something for “Connection”.")
    }

    @Test func aFailedTryChangesNothing() async throws {
        let trial = Trial(problem: "The setting “connection” is wrong.")
        let choices = try await choices(trial)
        await #expect(
            throws: StoreChoices.Problem(
                sentence: "The setting “connection” is wrong.", setting: "connection")
        ) {
            try await choices.use("org.example.server", ["connection": "host=a"])
        }
        #expect(trial.tried.withLock { $0.count } == 1)
        #expect(try preferences.storageID() == nil)
        #expect(try preferences.settings(of: "org.example.server").values.isEmpty)
    }

    @Test func aStoreThatOpensIsUsedFromTheNextStartOn() async throws {
        try preferences.setSettings(
            PluginSettings(["schema": "mine", "connection": "host=old"]), of: "org.example.server")
        try preferences.setDisabled(true, "org.example.more")
        let trial = Trial()
        try await choices(trial).use("org.example.server", ["connection": "host=a"])
        let settings = PluginSettings(["schema": "mine", "connection": "host=a"])
        #expect(trial.tried.withLock { $0.first?.settings } == settings)
        #expect(try preferences.settings(of: "org.example.server") == settings)
        #expect(try preferences.storageID() == "org.example.server")
        #expect(try preferences.disabledIDs() == ["org.example.more"])
    }

    /// The store is opened before the page could ask for the vault's passphrase.
    @Test func aPasswordNeedsAStoreThatIsOpenAtTheStart() async throws {
        let values = ["connection": "host=a", "password": "secret"]
        let trial = Trial()
        let problem = await #expect(throws: StoreChoices.Problem.self) {
            try await choices(trial).use("org.example.server", values)
        }
        #expect(problem?.sentence.contains("--vault-key-file") == true)
        #expect(trial.tried.withLock { $0.isEmpty })

        let open = try await choices(trial, opensVault: true)
        try await open.keeper?.createVault(Secret("a passphrase"))
        try await open.use("org.example.server", values)
        #expect(trial.tried.withLock { $0.first?.secrets } == ["password": Secret("secret")])
        let kept = try await open.keeper?.drawer(of: .plugin("org.example.server")).secret(
            named: "password")
        #expect(kept == Secret("secret"))
    }
}
