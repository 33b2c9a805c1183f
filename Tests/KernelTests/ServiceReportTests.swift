import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Testing

@testable import Accounts
@testable import Kernel

/// ACC-20: the service's limits, asked at most once an hour.
@Suite("Services report their limits") struct ServiceReportTests {
    private func test(_ change: (inout Script.Contents) -> Void = { _ in }) async throws -> (
        TestKernel, Script
    ) {
        let script = Script()
        script.change(change)
        let test = try await TestKernel(wrap: { ScriptedSession($0, script) })
        return (test, script)
    }

    private static func quota(_ id: String = "q", used: Int = 1, types: [String] = ["Mail"]) -> AccountQuota {
        AccountQuota(id: Id(id), resourceType: .octets, used: used, hardLimit: 100, types: types)
    }

    @Test func aServiceIsAskedOnceAnHour() async throws {
        let (test, script) = try await test { $0.quotas = [Self.quota(used: 7)] }
        let accounts = test.kernel.accounts
        async let first = accounts.report(of: test.ada)
        async let second = accounts.report(of: test.ada)
        for report in await [first, second] { #expect(report?.quotas == [Self.quota(used: 7)]) }
        #expect(script.now.quotaQuestions == 1)
        script.change { $0.quotas = [Self.quota(used: 8)] }
        #expect(await accounts.report(of: test.ada)?.quotas.first?.used == 7)
        test.clock.advance(by: ServiceReports.lifetime + 1)
        #expect(await accounts.report(of: test.ada)?.quotas.first?.used == 8)
        #expect(script.now.quotaQuestions == 2)
        await test.kernel.stop()
    }

    @Test func theLastReportStaysWhileTheServiceCannotBeAsked() async throws {
        let (test, script) = try await test {
            $0.quotas = [Self.quota()]
            $0.quotaErrors = [.offline]
        }
        let accounts = test.kernel.accounts
        #expect(await accounts.report(of: test.ada) == nil)
        #expect(await accounts.report(of: test.ada) == nil)
        #expect(script.now.quotaQuestions == 1)
        test.clock.advance(by: ServiceReports.pause + 1)
        #expect(await accounts.report(of: test.ada)?.quotas == [Self.quota()])
        script.change { $0.quotaErrors = [.offline] }
        test.clock.advance(by: ServiceReports.lifetime + 1)
        #expect(await accounts.report(of: test.ada)?.quotas == [Self.quota()])
        await test.kernel.stop()
    }

    private static let bad: [[AccountQuota]] = [
        [quota(), quota()], [quota("")], [quota("a/b")], [quota(String(repeating: "x", count: 256))],
        [quota(used: -1)],
        [quota(used: .max)], [quota(types: [])], (0...AnswerLimits.quotas).map { quota("\($0)") },
    ]

    @Test(arguments: bad) func aReportBeyondTheLimitsIsRefusedWhole(_ quotas: [AccountQuota]) async throws {
        let (test, _) = try await test { $0.quotas = quotas }
        #expect(await test.kernel.accounts.report(of: test.ada) == nil)
        await test.kernel.stop()
    }

    @Test(arguments: [
        ("https://jmap.example.org/.well-known/jmap", true), ("http://jmap.example.org/", false),
        ("https:///", false), ("file:///etc/passwd", false),
    ])
    func onlyAJMAPServiceOverTLSIsReported(_ url: String, _ isReported: Bool) async throws {
        let (test, _) = try await test { $0.jmapSessionURL = URL(string: url) }
        let report = await test.kernel.accounts.report(of: test.ada)
        #expect(report?.jmapSessionURL?.absoluteString == (isReported ? url : nil))
        await test.kernel.stop()
    }

    @Test func aRemovedAccountHasNoReport() async throws {
        let (test, _) = try await test()
        #expect(
            await test.kernel.accounts.report(of: test.ada)?.quotas.map(\.id.rawValue) == [
                "storage", "messages",
            ])
        try await test.kernel.accounts.remove(test.ada)
        #expect(await test.kernel.accounts.report(of: test.ada) == nil)
        await test.kernel.stop()
    }
}
