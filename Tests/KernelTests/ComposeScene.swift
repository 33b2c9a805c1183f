import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Synchronization
import Testing

@testable import Accounts
@testable import Compose
@testable import Kernel
@testable import Store

/// A kernel on which Ada writes, and which can be ended like a killed process and started again.
final class ComposeScene: Sendable {
    let disk = MemoryStorage.Disk()
    let clock = ManualClock()
    let secrets = SecretDrawers()
    let script = Script()
    /// Nothing fails before a test says so.
    let calls = FailingCalls()
    let lacking: AccountFeatures
    let layout: MemoryMailServer.Layout
    private let current: Mutex<TestKernel>

    init(
        lacking: AccountFeatures = [], layout: MemoryMailServer.Layout = .labels,
        uptime: (any SteadyClock)? = nil, providerCalls: ProviderCalls = ProviderCalls()
    ) async throws {
        self.lacking = lacking
        self.layout = layout
        let script = script
        let test = try await TestKernel(
            layout: layout, lacking: lacking, on: disk, clock: clock, secrets: secrets, uptime: uptime,
            calls: providerCalls, wrap: { ScriptedSession($0, script) }, wrapStorage: calls.storage)
        current = Mutex(test)
    }

    var test: TestKernel { current.withLock { $0 } }
    var kernel: MailKernel { test.kernel }
    var ada: Id<Account> { test.ada }

    /// Nothing that the running kernel still does reaches the disk; then it starts again.
    func kill() async throws {
        (test.storage as? MemoryStorage)?.close()
        await test.kernel.stop()
        let script = script
        let next = try await TestKernel(
            layout: layout, lacking: lacking, on: disk, clock: clock, server: test.server, secrets: secrets,
            wrap: { ScriptedSession($0, script) }, wrapStorage: calls.storage)
        current.withLock { $0 = next }
    }

    func settle() async {
        await kernel.drafts.settle()
        await test.settle()
        await kernel.outbox.settle()
    }

    func content(_ subject: String, _ body: String = "Text") async throws -> DraftContent {
        let identity = try #require(try await test.storage.identities(nil, in: ada).first)
        return DraftContent(
            identityID: identity.id, to: [EmailAddress(name: "Grace", email: "grace@example.org")],
            subject: subject, body: body)
    }

    func draft(_ subject: String, _ body: String = "Text") async throws -> Draft {
        let draft = try await kernel.drafts.create(try await content(subject, body), in: ada)
        await settle()
        return draft
    }

    func send(_ draft: Draft, isFromPage: Bool = false) async throws -> Id<EmailSubmission> {
        try await kernel.sending.send(draft.id, in: ada, isFromPage: isFromPage).id
    }

    func submission(_ id: Id<EmailSubmission>) async throws -> EmailSubmission {
        try #require(try await test.storage.submissions([id], in: ada).first)
    }

    func saved(_ id: Id<Draft>) async throws -> Draft? { try await kernel.drafts.saved(id, in: ada) }

    func wait(
        _ what: String, _ id: Id<EmailSubmission>, until isSo: @escaping @Sendable (EmailSubmission) -> Bool
    ) async throws {
        let (storage, account) = (test.storage, ada)
        try await test.wait(for: what) {
            try await storage.submissions([id], in: account).first.map(isSo) ?? false
        }
        await kernel.outbox.settle()
    }

    /// Ada's messages at the service, by the role of their mailbox.
    func atService(_ isDraft: Bool) -> [MemoryMessage] {
        test.server.messages(of: "ada@example.org").filter { $0.keywords.contains(.draft) == isDraft }
    }

    var delivered: [String] {
        test.server.messages(of: "grace@example.org").map(\.subject)
    }
}
