import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-01, FR-SYNC-02: a mailbox that goes, comes back or cannot be read takes no other mail with it.
@Suite("FR-SYNC-01: what happens to a mailbox hides no mail") struct GoneMailboxTests {
    private static let ada = "ada@example.org"

    private func message(_ number: Int) -> Data {
        Data(
            """
            From: Grace <grace@example.org>\r
            Subject: Number \(number)\r
            Message-ID: <number-\(number)@example.org>\r
            \r
            Text.\r

            """.utf8)
    }

    private func scripted(_ layout: MemoryMailServer.Layout) async throws -> (TestKernel, Script) {
        let script = Script()
        let test = try await TestKernel(layout: layout, wrap: { ScriptedSession($0, script) })
        return (test, script)
    }

    /// A mailbox at the service, known here too.
    private func work(_ test: TestKernel) async throws -> (remote: RemoteMailboxID, local: Id<Mailbox>) {
        test.server.apply(.createMailbox(name: "Work", parent: nil), in: Self.ada)
        let remote = try #require(test.server.mailboxes(of: Self.ada).first { $0.name == "Work" }).id
        try await test.wait(for: "the mailbox") { try await local("Work", test) != nil }
        return (remote, try #require(try await local("Work", test)))
    }

    private func local(_ name: String, _ test: TestKernel) async throws -> Id<Mailbox>? {
        try await test.storage.mailboxes(nil, in: test.ada).first { $0.mailbox.name == name }?.mailbox.id
    }

    private func move(_ id: Id<Email>, to mailbox: Id<Mailbox>, _ test: TestKernel) async throws {
        let inbox = try await test.mailbox(.inbox)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addMailboxes: [mailbox], removeMailboxes: [inbox])], in: test.ada)
    }

    /// RFC 8621, section 2.5: what was only in it goes with it, also if the service has not been told of it yet.
    @Test(arguments: MemoryMailServer.Layout.allCases, [true, false])
    func mailOnItsWayGoesWithItsMailbox(_ layout: MemoryMailServer.Layout, _ isOffline: Bool) async throws {
        let (test, _) = try await scripted(layout)
        if isOffline { test.server.setOutage(.offline) }
        let mail = test.kernel.mail
        let made = try await mail.createMailbox(Mailbox(id: Id(""), accountID: test.ada, name: "Made"))
        for number in 1...20 {
            _ = try await mail.add(
                message(number), to: [made.id], keywords: [], receivedAt: test.clock.now, in: test.ada)
        }
        try await mail.destroyMailbox(made.id, in: test.ada, evenWithEmails: true)
        test.server.setOutage(nil)
        for _ in 0..<4 {
            test.clock.advance(by: 61)
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
        }
        let emails = try await test.storage.emails(test.emailIDs(), in: test.ada)
        let here = Set(emails.flatMap(\.email.mailboxIDs))
        let there = test.server.messages(of: Self.ada)
        #expect(test.server.mailboxes(of: Self.ada).allSatisfy { $0.name != "Made" })
        // A service with labels keeps what it has been told of.
        if layout != .labels || isOffline { #expect(here.isEmpty && there.isEmpty) }
        #expect(try await test.emailIDs().count == there.count)
    }

    /// Renamed elsewhere and back, or left out of one list by a server in trouble.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aMailboxThatComesBackHasItsMail(_ layout: MemoryMailServer.Layout) async throws {
        let (test, script) = try await scripted(layout)
        let work = try await work(test)
        for number in 1...3 { test.server.deliver(message(number), to: Self.ada, mailbox: work.remote) }
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 3 }
        script.change { $0.hiddenMailboxes = [work.remote] }
        await test.kernel.accounts.refresh(test.ada)
        try await test.wait(for: "its end") { try await local("Work", test) == nil }
        // What lost its only label is still there.
        if layout == .labels { #expect(try await test.emailIDs().count == 3) }
        script.change { $0.hiddenMailboxes = [] }
        await test.kernel.accounts.refresh(test.ada)
        try await test.wait(for: "the mailbox with its mail") {
            guard try await local("Work", test) != nil else { return false }
            return try await test.emailIDs().count == 3
        }
    }

    /// The message is still where it was at the service, and it would not be reported again.
    @Test func whatWasBeingMovedIntoAMailboxThatGoesIsKept() async throws {
        let (test, _) = try await scripted(.folders)
        let work = try await work(test)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        await test.settle()
        let id = try #require(try await test.emailIDs().first)
        test.server.setOutage(.offline)
        try await move(id, to: work.local, test)
        await test.settle()
        test.server.apply(.deleteMailbox(work.remote), in: Self.ada)
        test.server.setOutage(nil)
        try await test.wait(for: "the end of the mailbox") {
            test.clock.advance(by: 45)
            return try await local("Work", test) == nil
        }
        await test.settle()
        let archive = try await test.mailbox(.archive)
        #expect(try await test.emailIDs() == [id])
        #expect(try await test.email(id).mailboxIDs == [archive])
        try await test.wait(for: "the same there") {
            test.clock.advance(by: 45)
            return test.server.messages(of: Self.ada).map(\.mailboxIDs) == [[Id("archive")]]
        }
    }

    @Test func whatWasMadeInAMailboxThatGoesIsKept() async throws {
        let (test, _) = try await scripted(.folders)
        let work = try await work(test)
        await test.settle()
        test.server.setOutage(.offline)
        let made = try await test.kernel.mail.add(
            message(1), to: [work.local], keywords: [], receivedAt: test.clock.now, in: test.ada)
        test.server.apply(.deleteMailbox(work.remote), in: Self.ada)
        test.server.setOutage(nil)
        try await test.wait(for: "the end of the mailbox") {
            test.clock.advance(by: 45)
            return try await local("Work", test) == nil
        }
        #expect(try await test.emailIDs() == [made.email.id])
        try await test.wait(for: "the message there") {
            test.clock.advance(by: 45)
            return test.server.messages(of: Self.ada).map(\.mailboxIDs) == [[Id("archive")]]
        }
        #expect(try await test.emailIDs() == [made.email.id])
    }

    /// The service would keep it where it was, where it is not seen here.
    @Test func whatIsDestroyedWithAMailboxIsGoneThereToo() async throws {
        let (test, _) = try await scripted(.folders)
        let work = try await work(test)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        await test.settle()
        test.server.setOutage(.offline)
        try await move(try #require(try await test.emailIDs().first), to: work.local, test)
        try await test.kernel.mail.destroyMailbox(work.local, in: test.ada, evenWithEmails: true)
        #expect(try await test.emailIDs().isEmpty)
        test.server.setOutage(nil)
        try await test.wait(for: "the end there") {
            test.clock.advance(by: 45)
            return test.server.messages(of: Self.ada).isEmpty
                && !test.server.mailboxes(of: Self.ada).contains { $0.name == "Work" }
        }
        #expect(try await test.emailIDs().isEmpty)
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func aMailboxThatIsMadeHereAndThereIsOne(_ layout: MemoryMailServer.Layout) async throws {
        let (test, _) = try await scripted(layout)
        await test.settle()
        test.server.setOutage(.offline)
        let made = try await test.kernel.mail.createMailbox(
            Mailbox(id: Id(""), accountID: test.ada, name: "Work"))
        test.server.apply(.createMailbox(name: "Work", parent: nil), in: Self.ada)
        let remote = try #require(test.server.mailboxes(of: Self.ada).first { $0.name == "Work" }).id
        test.server.deliver(message(1), to: Self.ada, mailbox: remote)
        test.server.setOutage(nil)
        try await test.wait(for: "the message") {
            test.clock.advance(by: 45)
            return try await test.emailIDs().count == 1
        }
        for _ in 1...3 {
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
        }
        let names = try await test.storage.mailboxes(nil, in: test.ada).filter { $0.mailbox.name == "Work" }
        #expect(names.map(\.mailbox.id) == [made.id] && names.map(\.counts.totalEmails) == [1])
    }

    /// FR-SYNC-01: a mailbox that fails is skipped, reported and tried again.
    @Test func aMailboxThatCannotBeReadKeepsNoOtherFromBeingRead() async throws {
        let (test, script) = try await scripted(.folders)
        await test.settle()
        script.change { $0.failingFeeds = [FeedID("inbox"): .badAnswer("nonsense")] }
        test.server.deliver(message(1), to: Self.ada, mailbox: Id("trash"))
        test.server.deliver(message(2), to: Self.ada)
        try await test.wait(for: "the mail of the other") { try await test.emailIDs().count == 1 }
        try await test.wait(for: "a word about it") {
            let status = test.kernel.accounts.status.all.statuses[test.ada]
            return status?.phase == .waiting && status?.problem?.contains("“Inbox”") == true
        }
        // What the user does goes on meanwhile.
        let id = try #require(try await test.emailIDs().first)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        try await test.wait(for: "the flag there") {
            test.server.messages(of: Self.ada).contains { $0.keywords.contains(.flagged) }
        }
        script.change { $0.failingFeeds = [:] }
        try await test.wait(for: "its own mail") {
            test.clock.advance(by: 5)
            return try await test.emailIDs().count == 2
        }
        try await test.wait(for: "no more word") {
            test.kernel.accounts.status.all.statuses[test.ada]?.phase == .listening
        }
    }

    @Test func aChangeIsNotPutOffByAClockThatWasSetBack() async throws {
        let (test, script) = try await scripted(.folders)
        test.server.deliver(message(1), to: Self.ada)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 1 }
        await test.settle()
        script.change { $0.applyOutcomes = [.failed(.badAnswer("later"))] }
        let id = try #require(try await test.emailIDs().first)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        try await test.wait(for: "a try") { script.now.applyOutcomes.isEmpty }
        await test.settle()
        test.clock.advance(by: -86_400)
        await test.kernel.accounts.refresh(test.ada)
        try await test.wait(for: "the flag there") {
            test.server.messages(of: Self.ada).first?.keywords.contains(.flagged) == true
        }
    }
}
