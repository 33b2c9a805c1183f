import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Accounts
@testable import Store

/// The removal of an account comes to its end, or is refused and can be asked for again.
@Suite("A store that fails while an account is removed leaves nothing half there", .timeLimit(.minutes(10)))
struct FailingRemovalTests {
    @Test func everyCallFailsOnce() async throws {
        var number = 1
        while try await remove("call \(number)", { $0.fail(at: number) }) > 0 { number += 1 }
        #expect(number > 8, "only \(number) calls")
    }

    @Test(arguments: 2...9) func everyCallOfANumberFails(_ number: Int) async throws {
        let failures = try await remove("every call \(number)") { $0.fail(every: number) }
        #expect(failures > 0)
    }

    private func remove(_ failing: String, _ begin: (FailingCalls) -> Void) async throws -> Int {
        let calls = FailingCalls()
        let secrets = SecretDrawers()
        let test = try await TestKernel(messages: 3, secrets: secrets, wrapStorage: calls.storage)
        await test.settle()
        secrets.drawer(test.ada).store(Secret("lovelace"), named: "password")
        secrets.drawer(test.grace).store(Secret("hopper"), named: "password")
        _ = try await test.storage.commit(
            ChangeSet([try Notice(accountID: test.ada, text: "News", at: test.clock.now).change(id: "n")]))
        begin(calls)
        var isRefused = false
        do {
            try await test.kernel.accounts.remove(test.ada)
        } catch is StorageError {
            isRefused = true
        }
        let failures = calls.stop()
        if isRefused, try await test.storage.accounts().contains(where: { $0.id == test.ada }) {
            // It is there as before, and goes on.
            let id = try await test.emailIDs().count
            #expect(id == 3, "\(failing)")
            test.server.fill("ada@example.org", count: 4)
            test.clock.advance(by: 61)
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
            #expect(try await test.emailIDs().count > 3, "\(failing): no mail comes in any more")
        }
        // What the user does, who was told that it failed.
        if isRefused { try await test.kernel.accounts.remove(test.ada) }
        try await test.wait(for: "the end, \(failing)") {
            test.clock.advance(by: 61)
            return try await test.storage.documents(
                in: AccountRemoval.collection, accountID: nil, after: nil, limit: 10
            ).isEmpty
        }
        #expect(try await test.storage.accounts().map(\.id) == [test.grace], "\(failing)")
        #expect(try await test.emailIDs().isEmpty, "\(failing)")
        #expect(secrets.owners == [test.grace], "\(failing)")
        #expect(try await test.kernel.notices.all().isEmpty, "\(failing)")
        #expect(try await test.emailIDs(of: test.grace).count == 3, "\(failing)")
        await test.kernel.stop()
        return failures
    }
}
