import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Sync
import Testing

/// A store can have several servers, each with some of the accounts.
@Suite("An account on a silent server does not stop the others", .timeLimit(.minutes(5)))
struct SilentAccountTests {
    private let silent = SilentAccounts()
    private let disk = MemoryStorage.Disk()
    private let clock = ManualClock()
    private let secrets = SecretDrawers()

    private func kernel(_ server: MemoryMailServer? = nil, hasAccounts: Bool = true) async throws
        -> TestKernel
    {
        try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, hasAccounts: hasAccounts,
            isShared: true,
            wrapStorage: {
                InterceptedStorage($0, place: .server(name: "db.example.org"), silent: silent)
            })
    }

    private func problem(_ test: TestKernel) -> String? {
        test.kernel.accounts.status.all.statuses[test.ada]?.problem
    }

    /// Waits while time passes.
    private func pass(_ test: TestKernel, for what: String, until isSo: @Sendable () async throws -> Bool)
        async throws
    {
        try await test.wait(for: what) {
            if try await isSo() { return true }
            test.clock.advance(by: 2)
            return false
        }
    }

    private func deliver(_ subject: String, to login: String, of test: TestKernel) {
        test.server.deliver(
            Data("From: g@navy.example\r\nTo: \(login)\r\nSubject: \(subject)\r\n\r\nText".utf8), to: login,
            receivedAt: test.clock.now)
    }

    private func hasMail(_ subject: String, _ account: Account, in test: TestKernel) async throws -> Bool {
        let query = EmailQuery(in: [account.id], filter: .subject(subject), limit: 10)
        return try await !test.storage.queryEmails(query).hits.isEmpty
    }

    private func names(_ test: TestKernel) async throws -> Set<String> {
        let data = try await test.jmap.session(for: TestKernel.page, at: TestKernel.urls)
        let session = try JSONDecoder().decode(JSONValue.self, from: data)
        return Set(session["accounts"]?.objectValue?.keys.map { $0 } ?? [])
    }

    @Test func itIsPausedUntilTheServerIsBack() async throws {
        let test = try await kernel()
        let (ada, grace) = (test.accounts[0], test.accounts[1])
        let before = try await test.send(["using": [], "methodCalls": []])["sessionState"]
        silent.set([ada.id])
        try await pass(test, for: "the problem") { problem(test)?.contains(SilentAccounts.reason) == true }
        #expect(try await test.send(["using": [], "methodCalls": []])["sessionState"] == before)
        #expect(try await names(test).isSuperset(of: [ada.id.rawValue, grace.id.rawValue]))
        let answer = try await test.call("Mailbox/get")
        #expect(answer["description"].stringValue?.contains(SilentAccounts.reason) == true)
        deliver("Engine", to: grace.address, of: test)
        try await pass(test, for: "mail of the other") { try await hasMail("Engine", grace, in: test) }
        #expect(await test.kernel.storeWatch.problem == nil)
        silent.set([])
        deliver("Loom", to: ada.address, of: test)
        try await pass(test, for: "mail once it is back") { try await hasMail("Loom", ada, in: test) }
        #expect(problem(test) == nil)
        await test.kernel.stop()
    }

    @Test func theProgramStartsWithoutIt() async throws {
        let first = try await kernel()
        let (ada, grace) = (first.accounts[0], first.accounts[1])
        await first.kernel.stop()
        silent.set([ada.id])
        let test = try await kernel(first.server, hasAccounts: false)
        try await pass(test, for: "the problem") { problem(test)?.contains(SilentAccounts.reason) == true }
        #expect(try await names(test).contains(ada.id.rawValue))
        deliver("Engine", to: grace.address, of: test)
        try await pass(test, for: "mail of the other") { try await hasMail("Engine", grace, in: test) }
        silent.set([])
        deliver("Loom", to: ada.address, of: test)
        try await pass(test, for: "mail once it is back") { try await hasMail("Loom", ada, in: test) }
        await test.kernel.stop()
    }
}
