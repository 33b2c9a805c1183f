import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Store
import Testing

@testable import Care
@testable import Compose
@testable import Kernel

/// A store on a server, its copy on a laptop, and the kernels that work with them, one after the other.
final class OfflineScene: Sendable {
    let disk = MemoryStorage.Disk()
    let copyDisk = MemoryStorage.Disk()
    let clock = ManualClock()
    let secrets = SecretDrawers()
    let server: MemoryMailServer

    init() {
        server = MemoryMailServer(logins: MemoryAccountPlugin.logins, clock: clock)
        for login in server.logins { server.fill(login.address, count: 7) }
    }

    /// The laptop with its server.
    func online(
        hasAccounts: Bool = false, wrapStorage: (any StorageBackend) -> any StorageBackend = { $0 }
    ) async throws -> TestKernel {
        let test = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, hasAccounts: hasAccounts,
            isShared: true, copyDisk: copyDisk, wrapStorage: wrapStorage)
        await test.settle()
        return test
    }

    /// Another computer, which has no copy.
    func elsewhere() async throws -> TestKernel {
        try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, hasAccounts: false, isShared: true)
    }

    /// The laptop without its server.
    func offline() async throws -> TestKernel {
        try await TestKernel(
            on: copyDisk, clock: clock, server: server, secrets: secrets, hasAccounts: false,
            standsInFor: "db.example.org")
    }

    /// Ends a kernel as `kill -9` does: what it still does reaches no disk.
    static func kill(_ test: TestKernel) async {
        (test.storage as? MemoryStorage)?.close()
        await test.kernel.stop()
    }

    /// Goes online for the first time, does something, and loses the server.
    func begin(_ body: (TestKernel) async throws -> Void = { _ in }) async throws {
        let test = try await online(hasAccounts: true)
        try await body(test)
        await test.kernel.drafts.settle()
        await test.settle()
        try await expectSameMail(test)
        await Self.kill(test)
    }

    /// Waits until the copy has what the store has.
    func expectSameMail(_ test: TestKernel) async throws {
        let replica = try #require(test.kernel.replica)
        await test.kernel.drafts.settle()
        await test.settle()
        try await replica.catchUp()
        let (old, new) = (test.kernel.store, replica.copy)
        for account in test.accounts.map(\.id) {
            let ids = try await test.emailIDs(of: account)
            #expect(
                try await new.read.queryEmails(EmailQuery(in: [account], limit: 1000)).hits.map(\.emailID)
                    == ids)
            #expect(
                try await old.read.emails(ids, in: account).map(\.email)
                    == new.read.emails(ids, in: account).map(\.email))
            for id in ids {
                #expect(try await old.read.body(of: id, in: account) == new.read.body(of: id, in: account))
            }
            #expect(
                try await old.read.mailboxes(nil, in: account).map(\.mailbox)
                    == new.read.mailboxes(nil, in: account).map(\.mailbox))
            for collection in ReplicaDocuments.collections {
                let there = try await old.allDocuments(in: collection, accountID: account)
                #expect(try await new.allDocuments(in: collection, accountID: account) == there)
            }
        }
        #expect(try await new.offlineChanges() == [])
    }

    func content(_ test: TestKernel, _ subject: String, _ body: String = "Text") async throws -> DraftContent
    {
        let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
        return DraftContent(
            identityID: identity.id, to: [EmailAddress(name: "Grace", email: "grace@example.org")],
            subject: subject, body: body)
    }

    func drafts(_ test: TestKernel) async throws -> [String] {
        try await test.kernel.drafts.all(in: test.ada).map { "\($0.content.subject): \($0.content.body)" }
            .sorted()
    }

    /// Ada's messages with a star at the service.
    var flagged: Int {
        server.messages(of: "ada@example.org").count { $0.keywords.contains(.flagged) }
    }

    func delivered(_ subject: String) -> Int {
        server.messages(of: "grace@example.org").count { $0.subject == subject }
    }
}
