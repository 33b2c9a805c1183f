import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Accounts

/// ACC-101, ACC-102: a service that keeps no mail, such as one with POP3.
@Suite("An account whose mail is only on this device") struct OnlyCopyTests {
    private func test(_ features: AccountFeatures) async throws -> TestKernel {
        let script = Script()
        script.change { $0.moreFeatures = features }
        let test = try await TestKernel(messages: 1, wrap: { ScriptedSession($0, script) })
        try await test.wait(for: "the first round") {
            test.kernel.accounts.status.all.statuses[test.ada]?.phase == .listening
        }
        return test
    }

    @Test(arguments: [AccountFeatures.local, []]) func isKnownAndCanBePaused(
        _ features: AccountFeatures
    ) async throws {
        let test = try await test(features)
        let accounts = test.kernel.accounts
        #expect(try await accounts.isKeptHereOnly(test.ada) == features.contains(.local))
        // It has a service, from which mail comes.
        try await accounts.pause(test.ada)
        let account = try #require(try await test.storage.accounts().first { $0.id == test.ada })
        #expect(try await accounts.isPaused(account))
        try await accounts.resume(test.ada)
        await test.kernel.stop()
    }
}
