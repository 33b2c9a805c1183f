import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-ACCT-02, FR-SYNC-01: only so many days of mail are kept on this device.
@Suite("The sync window") struct WindowTests {
    private static let ada = "ada@example.org"
    private static let day = 86_400.0

    /// A message a day, back from now.
    private func kernel(
        days: Int, layout: MemoryMailServer.Layout = .folders, script: Script = Script()
    ) async throws -> TestKernel {
        let test = try await TestKernel(
            layout: layout, isStarted: false, wrap: { ScriptedSession($0, script) })
        for day in 0..<days { deliver(day, to: test, daysAgo: Double(day)) }
        try await test.start()
        await test.settle()
        return test
    }

    private func deliver(_ number: Int, to test: TestKernel, daysAgo: Double) {
        test.server.deliver(
            Data("Subject: \(number)\r\nMessage-ID: <\(number)@example.org>\r\n\r\nText\r\n".utf8),
            to: Self.ada, receivedAt: test.clock.now - daysAgo * Self.day - 60)
    }

    private func setWindow(_ days: Int, in test: TestKernel) async throws {
        var account = try #require(try await test.storage.accounts().first { $0.id == test.ada })
        account.syncWindowDays = days
        try await test.kernel.accounts.update(account)
    }

    /// What goes, goes within a day.
    private func wait(for count: Int, in test: TestKernel) async throws {
        for _ in 0..<4 {
            test.clock.advance(by: 0.2 * Self.day)
            await test.settle()
        }
        try await test.wait(for: "\(count) messages") { try await test.emailIDs().count == count }
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func thatIsMadeSmallerLeavesTheServerAlone(_ layout: MemoryMailServer.Layout) async throws {
        let script = Script()
        let test = try await kernel(days: 29, layout: layout, script: script)
        #expect(try await test.emailIDs().count == 29)
        let listener = test.kernel.store.news.listen()
        let before = test.server.messages(of: Self.ada).map(\.address)
        try await setWindow(7, in: test)
        // Nearly a day of the clock goes by meanwhile.
        try await wait(for: 7, in: test)
        #expect(test.server.messages(of: Self.ada).map(\.address) == before)
        #expect(script.now.applied.isEmpty)
        for await states in listener where states.keys.contains(where: { $0.type == .email }) { break }
        // And what went comes back when it is wanted again.
        try await setWindow(30, in: test)
        try await test.wait(for: "all of it") { try await test.emailIDs().count == 29 }
    }

    @Test func thatMovesOnLeavesOldMailBehind() async throws {
        let test = try await kernel(days: 3)
        for number in 100..<140 {
            test.clock.advance(by: Self.day)
            deliver(number, to: test, daysAgo: 0)
            await test.settle()
        }
        try await wait(for: 30, in: test)
        #expect(test.server.messages(of: Self.ada).count == 43)
    }

    @Test func sparesDrafts() async throws {
        let test = try await kernel(days: 0)
        let drafts = try await test.mailbox(.drafts)
        let draft = try await test.kernel.mail.add(
            Data("Subject: Unfinished\r\nMessage-ID: <draft@example.org>\r\n\r\n".utf8), to: [drafts],
            keywords: [.draft], receivedAt: test.clock.now, in: test.ada)
        await test.settle()
        deliver(1, to: test, daysAgo: 0)
        try await test.wait(for: "the message") { try await test.emailIDs().count == 2 }
        test.clock.advance(by: 40 * Self.day)
        try await wait(for: 1, in: test)
        #expect(try await test.emailIDs() == [draft.email.id])
    }

    /// The service is told of what was changed before the mail is forgotten here.
    @Test func keepsMailWhoseChangesTheServiceDoesNotKnow() async throws {
        let test = try await kernel(days: 3)
        let id = try #require(try await test.emailIDs().last)
        test.server.setOutage(.offline)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        test.clock.advance(by: 40 * Self.day)
        for _ in 0..<5 {
            test.clock.advance(by: Self.day)
            await test.settle()
        }
        #expect(try await test.emailIDs().count == 3)
        test.server.setOutage(nil)
        try await test.wait(for: "the end of it") {
            test.clock.advance(by: 0.2 * Self.day)
            return try await test.emailIDs().isEmpty
        }
        #expect(test.server.messages(of: Self.ada).filter { $0.keywords.contains(.flagged) }.count == 1)
    }

    @Test func isNotForMailThatLivesOnThisDeviceAlone() async throws {
        let script = Script()
        script.change { $0.moreFeatures = .local }
        let test = try await kernel(days: 60, script: script)
        #expect(try await test.emailIDs().count == 60)
        try await setWindow(7, in: test)
        for _ in 0..<6 {
            test.clock.advance(by: Self.day)
            await test.settle()
        }
        #expect(try await test.emailIDs().count == 60)
    }

    /// FR-ACCT-04: it stays readable, and could not be fetched again.
    @Test func waitsWhileAnAccountIsInactive() async throws {
        let test = try await kernel(days: 3)
        var account = test.accounts[0]
        account.status = .inactive
        _ = try await test.storage.commit(ChangeSet([.putAccount(account)]))
        for _ in 0..<40 {
            test.clock.advance(by: Self.day)
            await test.settle()
        }
        #expect(try await test.emailIDs().count == 3)
    }
}
