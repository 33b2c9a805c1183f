import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Store
import Synchronization
import Testing

/// Accounts in memory, at a service that a test makes slow.
private final class LeavingProvider: AccountProvider {
    struct State {
        var revoked: [String] = []
        /// Revoking waits until its task is cancelled.
        var isSilent = false
        var afterValidating: (@Sendable () -> Void)?
    }

    static let id = "org.example.leaving"

    let state = Watched(State())
    let script = Script()
    private let memory: MemoryAccountProvider

    init(_ server: MemoryMailServer) { memory = MemoryAccountProvider(server: server) }

    var setups: [AccountSetup] { memory.setups }

    func authorize(_ step: AuthorizationAnswer) throws(AccountError) -> AuthorizationStep {
        try memory.authorize(step)
    }

    func validate(_ candidate: AccountCandidate) throws(AccountError) -> ValidatedAccount {
        let valid = try memory.validate(candidate)
        state.value.afterValidating?()
        return valid
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) throws(AccountError) -> any AccountSession {
        ScriptedSession(try memory.session(for: account, secrets: secrets), script)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        let password = (try? await secrets.secret(named: "password"))?.revealed ?? "nothing"
        let isSilent = state.withLock { state in
            state.revoked.append(password)
            return state.isSilent
        }
        guard isSilent else { return }
        // Nothing ever comes: it ends when the caller no longer waits.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw .cancelled
    }
}

/// A kernel with one account of such a service.
private struct Scene {
    static let candidate = candidate("lovelace")

    let clock: ManualClock
    let provider: LeavingProvider
    let secrets: SecretDrawers
    let disk: MemoryStorage.Disk
    let test: TestKernel
    let server: MemoryMailServer

    init(calls: ProviderCalls = ProviderCalls()) async throws {
        let clock = ManualClock()
        let server = MemoryMailServer(
            logins: MemoryAccountPlugin.logins, layout: .labels, batchSize: 50, lacking: [], clock: clock)
        try await self.init(clock, server, SecretDrawers(), MemoryStorage.Disk(), calls)
    }

    private init(
        _ clock: ManualClock, _ server: MemoryMailServer, _ secrets: SecretDrawers,
        _ disk: MemoryStorage.Disk,
        _ calls: ProviderCalls = ProviderCalls()
    ) async throws {
        self.clock = clock
        self.server = server
        self.secrets = secrets
        self.disk = disk
        provider = LeavingProvider(server)
        test = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, hasAccounts: false,
            providers: [LeavingProvider.id: provider], calls: calls)
    }

    /// As the program begins again.
    func again() async throws -> Scene {
        await test.kernel.stop()
        return try await Scene(clock, server, secrets, disk)
    }

    static func candidate(_ password: String) -> AccountCandidate {
        AccountCandidate(
            settings: ["address": .string("ada@example.org")], secrets: ["password": Secret(password)])
    }

    @discardableResult func add() async throws -> Account {
        try await test.kernel.accounts.add(Self.candidate, of: LeavingProvider.id)
    }

    var accounts: [Account] { get async throws { try await test.storage.accounts() } }
    var removals: Int {
        get async throws {
            try await test.storage.documents(
                in: "account-removal", accountID: nil, after: nil, limit: 10
            ).count
        }
    }
}

/// FR-ACCT-05.
@Suite("Removing an account leaves none of its secrets", .timeLimit(.minutes(10)))
struct AccountRemovalTests {
    @Test func theServiceIsToldAndTheSecretsGo() async throws {
        let scene = try await Scene()
        let account = try await scene.add()
        try await scene.test.kernel.accounts.remove(account.id)
        #expect(scene.provider.state.value.revoked == ["lovelace"])
        #expect(scene.secrets.owners.isEmpty)
        #expect(try await scene.removals == 0)
    }

    @Test("FR-ACCT-05: a service that does not answer holds it up no longer than fifteen seconds")
    func aSilentServiceIsNotWaitedFor() async throws {
        let scene = try await Scene()
        let account = try await scene.add()
        scene.provider.state.withLock { $0.isSilent = true }
        let removing = Task { try await scene.test.kernel.accounts.remove(account.id) }
        await scene.provider.state.wait { $0.revoked.count == 1 }
        // The limit of the service, and that of the whole.
        await scene.clock.waitForSleepers { $0 >= 2 }
        scene.clock.advance(by: 10)
        try await removing.value
        #expect(try await scene.accounts.isEmpty)
        #expect(scene.secrets.owners.isEmpty)
        #expect(try await scene.removals == 0)
    }

    /// Neither one that hangs while it reads mail, nor one that hangs when its session closes.
    @Test(arguments: [true, false])
    func aPluginThatHangsIsNotWaitedFor(_ isReading: Bool) async throws {
        // Its deadlines never come.
        let scene = try await Scene(calls: ProviderCalls(clock: ManualClock()))
        let account = try await scene.add()
        let isStuck = Watched(true)
        let hang: @Sendable () async -> Void = { await Task { await isStuck.wait { !$0 } }.value }
        scene.provider.script.change {
            if isReading { $0.aroundCalls = hang }
            $0.beforeClose = hang
        }
        try await scene.test.kernel.preferences.set([Preference.onboarding.key: true])
        try await scene.test.kernel.accounts.onboardingCompleted()
        let reading = scene.provider.script
        for await _ in reading.changes() where reading.now.rounds > 0 { break }
        let moving = Task { [clock = scene.clock] in await clock.keepMoving(by: 1) }
        try await scene.test.kernel.accounts.remove(account.id)
        moving.cancel()
        #expect(try await scene.accounts.isEmpty)
        // On a busy machine the clock runs ahead of the work, and the rest is done in the background.
        try await scene.test.wait(for: "the secrets to go") { scene.secrets.owners.isEmpty }
        isStuck.withLock { $0 = false }
    }

    @Test func whatALockedStoreKeepsGoesOnceItIsUnlocked() async throws {
        let scene = try await Scene()
        let account = try await scene.add()
        scene.secrets.setLocked(true)
        try await scene.test.kernel.accounts.remove(account.id)
        #expect(try await scene.accounts.isEmpty)
        #expect(scene.secrets.owners == [account.id])
        scene.secrets.setLocked(false)
        await scene.test.kernel.accounts.tryAgain()
        try await scene.test.wait(for: "the secrets to go") { scene.secrets.owners.isEmpty }
        try await scene.test.wait(for: "the end of it") { try await scene.removals == 0 }
    }

    @Test func whatWasNotFinishedGoesAtTheNextStart() async throws {
        let scene = try await Scene()
        let account = try await scene.add()
        scene.secrets.setLocked(true)
        try await scene.test.kernel.accounts.remove(account.id)
        scene.secrets.setLocked(false)
        let next = try await scene.again()
        try await next.test.wait(for: "the end of it") { try await next.removals == 0 }
        #expect(next.secrets.owners.isEmpty)
        #expect(next.provider.state.value.revoked == ["lovelace"])
    }

    /// Ending the old sign-in ends every one of that address at some services.
    @Test func anAddressThatWasAddedAgainStaysSignedIn() async throws {
        let scene = try await Scene()
        let old = try await scene.add()
        scene.secrets.setLocked(true)
        try await scene.test.kernel.accounts.remove(old.id)
        let new = try await scene.add()
        scene.secrets.setLocked(false)
        let next = try await scene.again()
        try await next.test.wait(for: "the end of it") { try await next.removals == 0 }
        #expect(next.provider.state.value.revoked.isEmpty)
        #expect(next.secrets.owners == [new.id])
    }
}

/// FR-ACCT-01: an account is added, or signs in again, as a whole or not at all.
@Suite("A sign-in that is given up changes nothing", .timeLimit(.minutes(10)))
struct GivenUpTests {
    private static let giveUp: @Sendable () -> Void = { withUnsafeCurrentTask { $0?.cancel() } }

    /// Cancels the work while the plugin validates. The plugin is called in a task of its own.
    private func givingUp(_ scene: Scene, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let running = Watched<Task<Void, any Error>?>(nil)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        scene.provider.state.withLock { $0.afterValidating = { running.value?.cancel() } }
        let task = Task {
            for await _ in gate { break }
            try await work()
        }
        running.withLock { $0 = task }
        open.yield()
        try await task.value
    }

    @Test func whileItIsTried() async throws {
        let scene = try await Scene()
        await #expect(throws: AccountError.cancelled) {
            try await givingUp(scene) { try await scene.add() }
        }
        #expect(try await scene.accounts.isEmpty)
        #expect(scene.secrets.owners.isEmpty)
    }

    @Test func whileItsSecretsAreKept() async throws {
        let scene = try await Scene()
        scene.secrets.setAfterStoring(Self.giveUp)
        await #expect(throws: AccountError.cancelled) { try await Task { try await scene.add() }.value }
        #expect(try await scene.accounts.isEmpty)
        #expect(scene.secrets.owners.isEmpty)
    }

    @Test func whatCannotBeRemovedAtOnceIsRemovedLater() async throws {
        let scene = try await Scene()
        scene.secrets.setAfterStoring {
            scene.secrets.setLocked(true)
            Self.giveUp()
        }
        await #expect(throws: AccountError.cancelled) { try await Task { try await scene.add() }.value }
        #expect(scene.secrets.owners.count == 1)
        scene.secrets.setLocked(false)
        await scene.test.kernel.accounts.tryAgain()
        try await scene.test.wait(for: "the secrets to go") { scene.secrets.owners.isEmpty }
        #expect(scene.provider.state.value.revoked.isEmpty)
    }

    /// Should the program end right after, the next start removes them.
    @Test func secretsAreNotedBeforeTheyAreKept() async throws {
        let scene = try await Scene()
        let noted = Mutex<[Int]>([])
        let storage = try #require(scene.test.storage as? MemoryStorage)
        scene.secrets.setAfterStoring {
            let notes = try? storage.documents(in: "account-removal", accountID: nil, after: nil, limit: 10)
            noted.withLock { $0.append(notes?.count ?? 0) }
        }
        try await scene.add()
        #expect(noted.withLock { $0 } == [1])
        #expect(try await scene.removals == 0)
    }

    @Test func whenAnAccountSignsInAgain() async throws {
        let scene = try await Scene()
        let account = try await scene.add()
        let drawer = scene.secrets.drawer(account.id)
        scene.server.setPassword(Secret("countess"), of: "ada@example.org")
        @Sendable func again() async throws {
            let candidate = AccountCandidate(
                settings: ["address": .string("ada@example.org")],
                secrets: ["password": Secret("countess"), "more": Secret("more")])
            try await Task {
                _ = try await scene.test.kernel.accounts.reauthenticate(account.id, with: [candidate])
            }.value
        }
        await #expect(throws: AccountError.cancelled) {
            try await givingUp(scene) {
                let candidate = AccountCandidate(
                    settings: ["address": .string("ada@example.org")],
                    secrets: ["password": Secret("countess"), "more": Secret("more")])
                _ = try await scene.test.kernel.accounts.reauthenticate(account.id, with: [candidate])
            }
        }
        #expect(drawer.secret(named: "password") == Secret("lovelace"))
        scene.provider.state.withLock { $0.afterValidating = nil }
        scene.secrets.setAfterStoring(Self.giveUp)
        await #expect(throws: AccountError.cancelled) { try await again() }
        #expect(drawer.secret(named: "password") == Secret("lovelace"))
        #expect(drawer.names == ["password"])
        scene.secrets.setAfterStoring(nil)
        try await again()
        #expect(drawer.secret(named: "password") == Secret("countess"))
    }
}
