import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Accounts

/// ACC-92.
@Suite("An account gets another sign-in", .timeLimit(.minutes(5))) struct SignInChangeTests {
    private static let ada = "ada@example.org"
    private static let old = Secret("lovelace")
    private static let new = Secret("countess")
    private static let more = ["more": Secret("more")]

    private static func candidate(_ more: [String: Secret] = [:]) -> AccountCandidate {
        AccountCandidate(
            settings: ["address": .string(ada), "note": "new"],
            secrets: ["password": new].merging(more) { $1 })
    }

    private enum Kill {
        case write(Int)
        case secret(Int)
    }

    @Test func killedAtAnyWriteEitherIsWhole() async throws {
        let writes = try await Sweep.calls(every: 1) { try await isKilled(at: .write($0 - 1)) }
        #expect(writes > 3)
    }

    @Test func killedAfterAnySecretEitherIsWhole() async throws {
        let stores = try await Sweep.calls(every: 1) { try await isKilled(at: .secret($0)) }
        #expect(stores == 5, "two are kept, and then put in their place")
    }

    /// Returns whether there was such a moment.
    private func isKilled(at kill: Kill) async throws -> Bool {
        let disk = MemoryStorage.Disk()
        let secrets = SecretDrawers()
        let first = try await TestKernel(messages: 2, on: disk, secrets: secrets)
        let drawer = secrets.drawer(first.ada)
        let emails = try await first.emailIDs()
        first.server.setPassword(Self.new, of: Self.ada)
        let moment = Watched<[String: Secret]?>(nil)
        // What a program that is gone would still do with its secrets does not count.
        @Sendable func end() {
            let now = drawer.names.map { ($0, drawer.secret(named: $0) ?? Secret("")) }
            moment.withLock { if $0 == nil { $0 = Dictionary(now) { $1 } } }
        }
        switch kill {
        case .write(let number): disk.stop(afterWrites: number, whenOver: end)
        case .secret(let number):
            let left = Watched(number)
            secrets.setAfterStoring {
                left.withLock { $0 -= 1 }
                guard left.value == 0 else { return }
                end()
                disk.stop(afterWrites: 0)
            }
        }
        _ = try? await first.kernel.accounts.reauthenticate(
            first.ada, with: [Self.candidate(Self.more)])
        await first.kernel.stop()
        disk.goOn()
        secrets.setAfterStoring(nil)
        if let kept = moment.value {
            for name in drawer.names { drawer.removeSecret(named: name) }
            for (name, secret) in kept { drawer.store(secret, named: name) }
        }

        let second = try await TestKernel(
            on: disk, clock: first.clock, server: first.server, secrets: secrets)
        let account = try #require(try await second.storage.accounts().first { $0.id == first.ada })
        if account.settings["note"] == "new" {
            #expect(drawer.secret(named: "password") == Self.new && drawer.names == ["more", "password"])
        } else {
            #expect(drawer.secret(named: "password") == Self.old && drawer.names == ["password"])
            #expect(moment.value != nil, "it was not killed, and nothing has changed")
        }
        #expect(account.status == .active)
        #expect(try await SignInChange.load(account.id, from: second.kernel.store) == nil)
        #expect(try await second.emailIDs() == emails)
        await second.kernel.stop()
        return moment.value != nil
    }

    @Test func secretsOfAnEarlierWayAreForgotten() async throws {
        let secrets = SecretDrawers()
        let test = try await TestKernel(messages: 2, secrets: secrets)
        let emails = try await test.emailIDs()
        test.server.setPassword(Self.new, of: Self.ada)
        for (more, names) in [(Self.more, ["more", "password"]), ([:], ["password"])] {
            try await test.kernel.accounts.reauthenticate(test.ada, with: [Self.candidate(more)])
            #expect(secrets.drawer(test.ada).names == names)
        }
        await test.settle()
        #expect(try await test.emailIDs() == emails, "the mail stays as it is")
        await test.kernel.stop()
    }

    /// ACC-94.
    @Test func newAddressesAtTheServiceBecomeIdentities() async throws {
        let test = try await TestKernel()
        let accounts = test.kernel.accounts
        #expect(try await accounts.serviceAddresses(of: test.ada) == [Self.ada])
        let account = test.accounts[0]
        let found = ValidatedAccount(
            address: Self.ada, displayName: "Ada",
            identities: [Self.ada, "Alias@example.org"].map { EmailAddress(email: $0) })
        func new() async throws -> [String] {
            try await accounts.newIdentities(of: found, for: account).compactMap { change in
                if case .putIdentity(let identity) = change { identity.email } else { nil }
            }
        }
        #expect(try await new() == ["Alias@example.org"])
        // Once it was found, it is for the user to keep it.
        try await test.kernel.store.commit([ServiceAddresses.keep(found, of: test.ada)])
        #expect(try await new().isEmpty)
        await test.kernel.stop()
    }
}
