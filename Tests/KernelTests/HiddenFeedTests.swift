import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel

/// FR-SYNC-01, FR-SYNC-02: where mail is read from can change from one day to the next.
@Suite("FR-SYNC-01: mail that is read from elsewhere is there once", .timeLimit(.minutes(10)))
struct HiddenFeedTests {
    private static let ada = "ada@example.org"

    private static func message(_ number: Int) -> Data {
        Data("Subject: \(number)\r\nMessage-ID: <number-\(number)@example.org>\r\n\r\nText\r\n".utf8)
    }

    private static func messageIDs(_ test: TestKernel) async throws -> [String] {
        var all: [String] = []
        for id in try await test.emailIDs() {
            all.append(try await test.email(id).header.messageID.first ?? "")
        }
        return all.sorted()
    }

    private static func names(_ numbers: [Int]) -> [String] { numbers.map { "number-\($0)@example.org" } }

    /// Three in the inbox, one archived, one in Trash and a draft.
    private static func scene(on disk: MemoryStorage.Disk = .init()) async throws -> (TestKernel, Script) {
        let script = Script()
        let test = try await TestKernel(on: disk, wrap: { ScriptedSession($0, script) })
        for (number, mailbox) in [(1, "inbox"), (2, "inbox"), (3, "inbox"), (4, "archive"), (5, "trash")] {
            test.server.deliver(message(number), to: ada, mailbox: Id(mailbox))
        }
        test.server.deliver(message(6), to: ada, mailbox: Id("drafts"), keywords: [.draft])
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 6 }
        return (test, script)
    }

    private static func show(_ isShown: Bool, _ test: TestKernel, _ script: Script) async throws {
        script.change { $0.hidesAllMail = !isShown }
        let numbers = isShown ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 5, 6]
        try await test.wait(for: "the mail that is shown") {
            await test.kernel.accounts.refresh(test.ada)
            await test.settle()
            return try await messageIDs(test) == names(numbers)
        }
    }

    /// In Gmail's settings, all mail can be hidden from mail programs.
    @Test func whatIsHiddenAndShownAgainIsThereOnce() async throws {
        let (test, script) = try await Self.scene()
        let before = test.server.messages(of: Self.ada)
        for _ in 1...2 {
            for isShown in [false, true] {
                try await Self.show(isShown, test, script)
                // And it stays so.
                for _ in 1...2 {
                    test.clock.advance(by: 100)
                    await test.kernel.accounts.refresh(test.ada)
                    await test.settle()
                }
                #expect(
                    try await Self.messageIDs(test)
                        == Self.names(isShown ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 5, 6]))
            }
        }
        for (role, numbers) in [
            (Mailbox.Role.inbox, [1, 2, 3]), (.archive, [4]), (.trash, [5]), (.drafts, [6]),
        ] {
            let mailbox = try await test.mailbox(role)
            let query = EmailQuery(in: [test.ada], filter: .inMailbox(mailbox), limit: 10)
            #expect(try await test.storage.queryEmails(query).hits.count == numbers.count, "\(role)")
        }
        #expect(test.server.messages(of: Self.ada) == before && script.now.applied.isEmpty)
    }

    /// What was changed here before the service said so is changed there afterwards.
    @Test(arguments: [false, true]) func whatIsStillToBeChangedIsKnownAgain(_ isShown: Bool) async throws {
        let (test, script) = try await Self.scene()
        if isShown { try await Self.show(false, test, script) }
        let ids = try await test.emailIDs()
        var first: Id<Email>?
        for id in ids where try await test.email(id).header.messageID == Self.names([1]) { first = id }
        let id = try #require(first)
        test.server.setOutage(.offline)
        try await test.kernel.mail.update(
            [EmailUpdate(id, in: test.ada, addKeywords: [.flagged])], in: test.ada)
        script.change { $0.hidesAllMail = !isShown }
        test.server.setOutage(nil)
        try await test.wait(for: "the flag there") {
            test.clock.advance(by: 45)
            return test.server.messages(of: Self.ada).filter { $0.keywords.contains(.flagged) }.map(
                \.messageID)
                == Self.names([1])
        }
        #expect(try await test.email(id).keywords.contains(.flagged))
        try await Self.show(isShown, test, script)
    }

    /// A draft goes on being the one that it is.
    @Test func aDraftIsKnownAgain() async throws {
        let (test, script) = try await Self.scene()
        var draft: Id<Email>?
        for id in try await test.emailIDs() where try await test.email(id).keywords.contains(.draft) {
            draft = id
        }
        for isShown in [false, true] {
            try await Self.show(isShown, test, script)
            #expect(try await test.emailIDs().contains(try #require(draft)))
        }
    }
}
