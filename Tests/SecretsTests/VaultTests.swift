import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Secrets

/// Where there is no desktop: the vault file. Its passphrase costs less here than it does for users.
private struct VaultBench {
    static let passphrase = Secret("correct horse battery")

    let place: TemporaryFolder
    let keeper: SecretKeeper

    init(pauses: RetrySchedule = RetrySchedule([])) throws {
        self.init(place: try TemporaryFolder(), pauses: pauses)
    }

    private init(place: TemporaryFolder, pauses: RetrySchedule) {
        self.place = place
        let vault = Vault(place.url.appending(path: "vault")) { VaultCost(exponent: 10) }
        keeper = SecretKeeper(folder: place.url, environment: [:], vault: vault, pauses: pauses)
    }

    var url: URL { place.url.appending(path: "vault") }

    /// The same files in another start of the program.
    func again() -> VaultBench { VaultBench(place: place, pauses: RetrySchedule([])) }
}

private func failure<Value>(_ body: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

/// FR-ACCT-04: tokens live in the secret store only.
@Suite("The vault", .timeLimit(.minutes(10))) struct VaultTests {
    @Test func secretsAreThereAfterANewStart() async throws {
        let bench = try VaultBench()
        #expect(try await bench.keeper.state == .needsVault)
        try await bench.keeper.createVault(VaultBench.passphrase)
        #expect(try await bench.keeper.state == .vaultOpen)
        let drawer = bench.keeper.drawer(of: .account(Id("A1")))
        try await drawer.store(Secret("token"), named: "refresh")
        try await drawer.store(Secret("grüße\u{0}🗝"), named: "odd")

        let next = bench.again()
        #expect(try await next.keeper.state == .vaultLocked)
        try await next.keeper.unlock(VaultBench.passphrase)
        let same = next.keeper.drawer(of: .account(Id("A1")))
        #expect(try await same.secret(named: "refresh") == Secret("token"))
        #expect(try await same.secret(named: "odd") == Secret("grüße\u{0}🗝"))
        #expect(try await same.secret(named: "other") == nil)
        #expect(try await next.keeper.drawer(of: .plugin("A1")).secret(named: "refresh") == nil)
    }

    @Test func aLockedVaultIsLocked() async throws {
        let bench = try VaultBench()
        let drawer = bench.keeper.drawer(of: .plugin("a"))
        // There is none yet, for any caller.
        #expect(await failure { try await drawer.secret(named: "x") } as? SecretError == .locked)
        #expect(await failure { try await drawer.store(Secret("y"), named: "x") } as? SecretError == .locked)
        try await bench.keeper.createVault(VaultBench.passphrase)
        try await drawer.store(Secret("y"), named: "x")
        await bench.keeper.lock()
        #expect(await failure { try await drawer.secret(named: "x") } as? SecretError == .locked)
        #expect(await failure { try await drawer.removeSecret(named: "x") } as? SecretError == .locked)
        #expect(
            await failure { try await bench.keeper.removeDrawer(of: .plugin("a")) } as? SecretError == .locked
        )
        try await bench.keeper.unlock(VaultBench.passphrase)
        #expect(try await drawer.secret(named: "x") == Secret("y"))
    }

    @Test func aWrongPassphraseIsSaidToBeWrong() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        let next = bench.again()
        for wrong in ["", "correct horse batter", "Correct horse battery"] {
            #expect(
                await failure { try await next.keeper.unlock(Secret(wrong)) } as? VaultError
                    == .wrongPassphrase)
        }
        #expect(try await next.keeper.state == .vaultLocked)
        try await next.keeper.unlock(VaultBench.passphrase)
    }

    @Test func eachWrongPassphraseTakesLonger() async throws {
        let bench = try VaultBench(pauses: RetrySchedule([0.1], then: 0.2))
        try await bench.keeper.createVault(VaultBench.passphrase)
        await bench.keeper.lock()
        let began = ContinuousClock.now
        // All at once gains nothing.
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { try? await bench.keeper.unlock(Secret("wrong passphrase")) } }
        }
        #expect(ContinuousClock.now - began >= .milliseconds(300))
    }

    @Test func thePausesOfGuessingGrowToHalfAMinute() {
        let pauses = (1...7).map { RetrySchedule.guessing.pause(after: $0) }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30])
    }

    @Test func aPassphraseCanBeChanged() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        try await bench.keeper.drawer(of: .plugin("a")).store(Secret("y"), named: "x")
        let new = Secret("another passphrase")
        #expect(
            await failure { try await bench.keeper.changePassphrase(from: Secret("not it, sorry"), to: new) }
                as? VaultError == .wrongPassphrase)
        #expect(
            await failure {
                try await bench.keeper.changePassphrase(from: VaultBench.passphrase, to: Secret("short"))
            } as? VaultError == .passphraseTooShort(least: 8))
        try await bench.keeper.changePassphrase(from: VaultBench.passphrase, to: new)
        let next = bench.again()
        #expect(
            await failure { try await next.keeper.unlock(VaultBench.passphrase) } as? VaultError
                == .wrongPassphrase)
        try await next.keeper.unlock(new)
        #expect(try await next.keeper.drawer(of: .plugin("a")).secret(named: "x") == Secret("y"))
    }

    /// FR-ACCT-05: the secrets of an account go with it.
    @Test func removingADrawerLeavesTheOthers() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        for id in ["A1", "A2"] {
            try await bench.keeper.drawer(of: .account(Id(id))).store(Secret(id), named: "token")
        }
        try await bench.keeper.removeDrawer(of: .account(Id("A1")))
        let next = bench.again()
        try await next.keeper.unlock(VaultBench.passphrase)
        #expect(try await next.keeper.drawer(of: .account(Id("A1"))).secret(named: "token") == nil)
        #expect(try await next.keeper.drawer(of: .account(Id("A2"))).secret(named: "token") == Secret("A2"))
    }

    /// A token that was being renewed when its account was removed.
    @Test func theDrawerOfARemovedAccountTakesNothingMore() async throws {
        let bench = try VaultBench()
        let drawer = bench.keeper.drawer(of: .account(Id("A1")))
        // There is nothing yet that could hold it.
        try await bench.keeper.removeDrawer(of: .account(Id("A2")))
        try await bench.keeper.createVault(VaultBench.passphrase)
        try await drawer.store(Secret("one"), named: "token")
        try await bench.keeper.removeDrawer(of: .account(Id("A1")))
        #expect(
            await failure { try await drawer.store(Secret("two"), named: "token") } as? SecretError
                == .unavailable(reason: "The account was removed."))
        #expect(try await drawer.secret(named: "token") == nil)
    }

    @Test func theFileIsForTheUserAloneAndHoldsNothingToRead() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        try await bench.keeper.drawer(of: .plugin("plugin-name")).store(
            Secret("secret-value"), named: "secret-name")
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let bytes = try Data(contentsOf: bench.url)
        for text in ["secret-value", "secret-name", "plugin-name"] {
            #expect(bytes.firstRange(of: Data(text.utf8)) == nil)
        }
        // Nothing is left beside it, and the same contents are never sealed the same.
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.place.url.path)
        #expect(Set(names) == ["vault", "secrets.json"])
        try await bench.keeper.drawer(of: .plugin("plugin-name")).store(
            Secret("secret-value"), named: "secret-name")
        #expect(try Data(contentsOf: bench.url) != bytes)
    }

    /// Each byte of it, one after the other: opening fails, and the file stays as it was found.
    @Test func aChangedByteIsNoticedWhereverItIs() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        try await bench.keeper.drawer(of: .plugin("a")).store(Secret("y"), named: "x")
        let good = try Data(contentsOf: bench.url)
        for index in good.indices {
            var bad = good
            // The bit of the cost would otherwise make one try take minutes.
            bad[index] ^= index == 8 ? 0x80 : 1
            try bad.write(to: bench.url)
            let next = bench.again()
            let failed = await failure { try await next.keeper.unlock(VaultBench.passphrase) } as? VaultError
            switch failed {
            case .damaged, .wrongPassphrase, .writtenByNewerVersion: break
            default: Issue.record("byte \(index): \(String(describing: failed))")
            }
            #expect(try Data(contentsOf: bench.url) == bad)
        }
    }

    @Test(arguments: [0, 1, 7, 40, 80, -1])
    func aFileThatWasCutIsDamaged(_ count: Int) async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        let good = try Data(contentsOf: bench.url)
        try good.prefix(count < 0 ? good.count - 1 : count).write(to: bench.url)
        let next = bench.again()
        #expect(
            await failure { try await next.keeper.unlock(VaultBench.passphrase) } as? VaultError
                == .damaged(path: bench.url.path))
    }

    @Test func aFileThatSomebodyElseChangedIsNotOverwritten() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        let foreign = Data("something else".utf8)
        try foreign.write(to: bench.url)
        let failed = await failure {
            try await bench.keeper.drawer(of: .plugin("a")).store(Secret("y"), named: "x")
        }
        guard case .unavailable = failed as? SecretError else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(try Data(contentsOf: bench.url) == foreign)
        #expect(
            await failure { try await bench.keeper.createVault(VaultBench.passphrase) } as? VaultError
                == .exists(path: bench.url.path))
    }

    @Test func aFolderThatCannotBeWrittenKeepsTheOldVault() async throws {
        let bench = try VaultBench()
        try await bench.keeper.createVault(VaultBench.passphrase)
        let good = try Data(contentsOf: bench.url)
        // Root may write everywhere; even so nothing can be made in a folder that is gone.
        let folder = bench.place.url
        let away = folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + "-away")
        try FileManager.default.moveItem(at: folder, to: away)
        let failed = await failure {
            try await bench.keeper.drawer(of: .plugin("a")).store(Secret("y"), named: "x")
        }
        #expect(failed is SecretError)
        try FileManager.default.moveItem(at: away, to: folder)
        #expect(try Data(contentsOf: bench.url) == good)
    }

    /// At least 64 MB and a good part of a second for each try.
    @Test func aRealPassphraseCostsMemoryAndTime() throws {
        let cost = VaultCost.calibrated()
        #expect(cost.memory >= 64 << 20 && cost.exponent <= 18)
        let began = ContinuousClock.now
        _ = try #require(VaultKey(passphrase: "a passphrase", salt: Data(count: 32), cost: cost))
        #expect(ContinuousClock.now - began >= .milliseconds(50))
    }
}
